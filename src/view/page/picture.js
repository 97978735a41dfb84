/* Without a graphics card, WebGL makes the processor draw every dot: a canvas is faster then. */
function hasCard() {
  const gl = document.createElement("canvas").getContext("webgl", { failIfMajorPerformanceCaveat: true });
  if (!gl) return false;
  const told = gl.getExtension("WEBGL_debug_renderer_info");
  const name = gl.getParameter(told ? told.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return !/swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

/* The picture, by WebGL or in a canvas; `?webgl` or `?canvas` in the address selects one. */
const picture = (() => {
  const canvas = $("dots"), wish = new URLSearchParams(location.search);
  const gl = wish.has("canvas") || !wish.has("webgl") && !hasCard() ? null
    : canvas.getContext("webgl", { antialias: false, preserveDrawingBuffer: true });
  const box = () => {
    const scale = devicePixelRatio || 1, [w, h] = extent(canvas);
    if (canvas.width !== Math.round(w * scale) || canvas.height !== Math.round(h * scale)) {
      for (const c of [canvas, $("over")]) { c.width = Math.round(w * scale); c.height = Math.round(h * scale); }
      isCovered = true;
    }
    const side = Math.min(canvas.width, canvas.height) * 0.96;
    return { side, left: (canvas.width - side) / 2, top: (canvas.height - side) / 2, scale };
  };
  return { box, ...(gl ? byWebGL(gl, canvas, box) : byCanvas(canvas, box)) };
})();

/* The size of a dot: the slider's value in a picture of 640 pixels; more in a larger one. */
const dot = b => Math.max(1, Math.round($("size").value * b.side / 640));

/* The unit of what is drawn between and around dots: a pixel, or more in a large picture. */
const unit = b => Math.max(b.scale, b.side / 640);
/* Few dots are discs, which cost little; many are squares. */
const areDiscs = () => frame.colours.length <= 300;
/* In a canvas each pixel knows its owner: the first living dot of those that cover it, or else the first dot.
   So a picture takes one pass over the dots and one over the pixels; owners change with deaths only. */
function byCanvas(canvas, box) {
  const ctx = canvas.getContext("2d"), dead = 0xff000000 | DEAD[2] << 16 | DEAD[1] << 8 | DEAD[0];
  const table32 = new Uint32Array(table.buffer);
  /* The pixels from left, top that dots cover; an uncovered pixel belongs to the dot after the last, which is transparent. */
  let laid = "", image, left, top, wide, high, size, points, owners, ink, xs, ys, lived;
  const lay = b => {
    const count = frame.colours.length;
    ink = new Uint32Array(count + 1); xs = new Int32Array(count); ys = new Int32Array(count);
    lived = frame.alive.slice();
    let right = 1, low = 1;
    left = canvas.width - 1; top = canvas.height - 1;
    for (let n = 0; n < count; n++) {
      const x = xs[n] = Math.round(b.left + places[2 * n] * b.side - size / 2);
      const y = ys[n] = Math.round(b.top + (1 - places[2 * n + 1]) * b.side - size / 2);
      left = Math.min(left, x); right = Math.max(right, x + size);
      top = Math.min(top, y); low = Math.max(low, y + size);
    }
    left = Math.max(0, left); top = Math.max(0, top);
    wide = Math.max(1, Math.min(canvas.width, right) - left); high = Math.max(1, Math.min(canvas.height, low) - top);
    xs.forEach((x, n) => { xs[n] = x - left; ys[n] -= top; });
    image = ctx.createImageData(wide, high);
    points = new Uint32Array(image.data.buffer); owners = new Uint32Array(wide * high);
    own(0, 0, wide, high);
    ctx.clearRect(0, 0, canvas.width, canvas.height);
  };
  /* Finds the owners of the pixels from x0, y0 to x1, y1 again: a later dot covers an earlier one. */
  const own = (x0, y0, x1, y1) => {
    const count = lived.length;
    for (let y = y0; y < y1; y++) owners.fill(count, y * wide + x0, y * wide + x1);
    for (const lives of [0, 1]) {
      for (let n = count - 1; n >= 0; n--) {
        const x = xs[n], y = ys[n];
        if (lived[n] !== lives || x >= x1 || y >= y1 || x + size <= x0 || y + size <= y0) continue;
        const from = Math.max(x, x0), to = Math.min(x + size, x1), end = Math.min(y + size, y1);
        for (let row = Math.max(y, y0); row < end; row++)
          for (let at = row * wide + from; at < row * wide + to; at++) owners[at] = n;
      }
    }
  };
  /* Takes over the colours, and finds the owners of the pixels around dots that died or live again. */
  const dip = ({ colours, alive }) => {
    let x0 = wide, y0 = high, x1 = 0, y1 = 0;
    for (let n = 0; n < colours.length; n++) {
      const lives = alive[n];
      ink[n] = lives ? table32[colours[n]] : dead;
      if (lives === lived[n]) continue;
      lived[n] = lives;
      x0 = Math.min(x0, xs[n]); x1 = Math.max(x1, xs[n] + size);
      y0 = Math.min(y0, ys[n]); y1 = Math.max(y1, ys[n] + size);
    }
    if (x0 < x1) own(Math.max(0, x0), Math.max(0, y0), Math.min(wide, x1), Math.min(high, y1));
  };
  const discs = b => {
    ctx.clearRect(0, 0, canvas.width, canvas.height);
    for (const lives of [0, 1]) for (let n = frame.colours.length - 1; n >= 0; n--) {
      if (frame.alive[n] !== lives) continue;
      const c = 4 * frame.colours[n];
      ctx.fillStyle = lives ? `rgb(${table[c]},${table[c + 1]},${table[c + 2]})` : `rgb(${DEAD})`;
      ctx.beginPath(); ctx.arc(b.left + places[2 * n] * b.side, b.top + (1 - places[2 * n + 1]) * b.side, size / 2, 0, 7); ctx.fill();
    }
  };
  const paint = (points, owners, ink) => { for (let at = 0; at < points.length; at++) points[at] = ink[owners[at]]; };
  return { name: "canvas", load() { laid = ""; }, draw() {
    const b = box();
    size = dot(b);
    if (areDiscs()) { laid = ""; discs(b); return; }
    const layout = [canvas.width, canvas.height, size].join();
    if (layout !== laid) { laid = layout; lay(b); }
    dip(frame); paint(points, owners, ink);
    ctx.putImageData(image, left, top);
  } };
}

function byWebGL(gl, canvas, box) {
  const shader = (kind, text) => { const s = gl.createShader(kind); gl.shaderSource(s, text); gl.compileShader(s); return s; };
  const program = gl.createProgram();
  gl.attachShader(program, shader(gl.VERTEX_SHADER, `
    attribute vec2 place; attribute float colour, alive; uniform vec2 ratio; uniform float size;
    varying float c, a;
    void main() { c = colour; a = alive; gl_PointSize = size;
      gl_Position = vec4((place * 2.0 - 1.0) * ratio, alive > 0.5 ? 0.0 : 0.1, 1.0); }`));
  gl.attachShader(program, shader(gl.FRAGMENT_SHADER, `
    precision mediump float; uniform sampler2D table; uniform bool discs; varying float c, a;
    void main() { if (discs && distance(gl_PointCoord, vec2(0.5)) > 0.5) discard;
      gl_FragColor = a > 0.5 ? texture2D(table, vec2((c * 255.0 + 0.5) / 256.0, 0.5))
      : vec4(vec3(${DEAD.join(",")}) / 255.0, 1.0); }`));
  gl.linkProgram(program); gl.useProgram(program); gl.enable(gl.DEPTH_TEST);
  const at = name => gl.getAttribLocation(program, name), uniform = name => gl.getUniformLocation(program, name);
  const buffers = [gl.createBuffer(), gl.createBuffer(), gl.createBuffer()];
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  for (const [k, v] of [[gl.TEXTURE_MIN_FILTER, gl.NEAREST], [gl.TEXTURE_MAG_FILTER, gl.NEAREST],
    [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]]) gl.texParameteri(gl.TEXTURE_2D, k, v);
  const feed = (buffer, data, name, count, type, norm, use) => {
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer); gl.bufferData(gl.ARRAY_BUFFER, data, use);
    gl.enableVertexAttribArray(at(name)); gl.vertexAttribPointer(at(name), count, type, norm, 0, 0);
  };
  return { name: "WebGL",
    load() { feed(buffers[0], places, "place", 2, gl.FLOAT, false, gl.STATIC_DRAW); },
    draw() {
      const b = box();
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0, 0, 0, 0); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      feed(buffers[1], frame.colours, "colour", 1, gl.UNSIGNED_BYTE, true, gl.DYNAMIC_DRAW);
      feed(buffers[2], frame.alive, "alive", 1, gl.UNSIGNED_BYTE, false, gl.DYNAMIC_DRAW);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, table);
      gl.uniform2f(uniform("ratio"), b.side / canvas.width, b.side / canvas.height);
      gl.uniform1f(uniform("size"), dot(b)); gl.uniform1i(uniform("discs"), areDiscs());
      gl.drawArrays(gl.POINTS, 0, frame.colours.length);
    } };
}
