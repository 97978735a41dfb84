//! As much of HTTP/1.1 (RFC 9112) as a page needs that is served on this machine only. Pure.

/// What a browser asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request<'a> {
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) host: Option<&'a str>,
    pub(super) origin: Option<&'a str>,
    pub(super) body_bytes: usize,
}

/// A head may have so many bytes, and what is sent with it.
pub(super) const MOST_HEAD_BYTES: usize = 8 << 10;
pub(super) const MOST_BODY_BYTES: usize = 4 << 10;

/// Where a head ends that is all there.
pub(super) fn end_of_head(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4)
}

impl Request<'_> {
    /// Reads a head, its end included. What is no request has the status of its error.
    pub(super) fn read(head: &[u8]) -> Result<Request<'_>, u16> {
        let text = std::str::from_utf8(head).map_err(|_| 400u16)?;
        let mut lines = text.trim_end_matches("\r\n").split("\r\n");
        let mut words = lines.next().unwrap_or("").split(' ');
        let (Some(method), Some(path), Some(version), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(400);
        };
        if !version.starts_with("HTTP/1.") {
            return Err(505);
        }
        let mut request = Request { method, path, host: None, origin: None, body_bytes: 0 };
        let mut length = None;
        for line in lines {
            let (name, value) = line.split_once(':').ok_or(400u16)?;
            let value = value.trim();
            let once = |place: &mut Option<_>| place.replace(value).map_or(Ok(()), |_| Err(400u16));
            let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            match name.to_ascii_lowercase().as_str() {
                "host" => once(&mut request.host)?,
                "origin" => once(&mut request.origin)?,
                "content-length" => {
                    once(&mut length)?;
                    let digits = Some(value).filter(|value| is_number(value)).ok_or(400u16)?;
                    request.body_bytes = digits.parse().map_err(|_| 400u16)?;
                    if request.body_bytes > MOST_BODY_BYTES {
                        return Err(413);
                    }
                }
                "transfer-encoding" => return Err(411),
                _ => {}
            }
        }
        Ok(request)
    }

    /// What it asks for below `/token/`, if it comes from a page of our own, or from no page: the
    /// address, the host and the origin all have to be ours.
    pub(super) fn below(&self, token: &str, port: u16) -> Option<&str> {
        let is_ours = |host: &str| {
            [format!("127.0.0.1:{port}"), format!("localhost:{port}")].contains(&host.into())
        };
        let is_own_page = |origin: &str| origin.strip_prefix("http://").is_some_and(is_ours);
        if !self.host.is_some_and(is_ours) || !self.origin.is_none_or(is_own_page) {
            return None;
        }
        // What follows a question mark is for the page.
        let path = self.path.split('?').next()?;
        let (said, rest) = path.strip_prefix('/')?.split_once('/')?;
        are_equal(said.as_bytes(), token.as_bytes()).then_some(rest)
    }
}

/// Takes as long wherever they differ.
fn are_equal(one: &[u8], other: &[u8]) -> bool {
    let both = one.iter().zip(other);
    one.len() == other.len() && both.fold(0, |apart, (a, b)| apart | (a ^ b)) == 0
}

/// The head of an answer; a body of a known length follows, or one until the end.
pub(super) fn head(status: u16, kind: &str, bytes: Option<usize>, nonce: &str) -> String {
    let reason = match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        411 => "Length Required",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "HTTP Version Not Supported",
    };
    let length = bytes.map_or(String::new(), |bytes| format!("Content-Length: {bytes}\r\n"));
    format!(
        "HTTP/1.1 {status} {reason}\r\nContent-Type: {kind}\r\n{length}Connection: close\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
         Referrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\n\
         Content-Security-Policy: default-src 'none'; connect-src 'self'; img-src data:; \
         script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; base-uri 'none'; \
         form-action 'none'\r\n\r\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftmpi_base::random::Random;

    fn read(text: &str) -> Result<Request<'_>, u16> {
        Request::read(text.as_bytes())
    }

    #[test]
    fn requests_are_read_and_what_is_none_is_refused() {
        let request = read("POST /t/order HTTP/1.1\r\nHost: x:1\r\nContent-LENGTH: 12\r\n\r\n");
        let expected = Request {
            method: "POST",
            path: "/t/order",
            host: Some("x:1"),
            origin: None,
            body_bytes: 12,
        };
        assert_eq!(request, Ok(expected));
        for (text, status) in [
            ("", 400),
            ("GET /\r\n\r\n", 400),
            ("GET / a HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/2\r\n\r\n", 505),
            ("GET / HTTP/1.1\r\nnonsense\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nContent-Length: +1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nContent-Length: 9999\r\n\r\n", 413),
            ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        ] {
            assert_eq!(read(text), Err(status), "{text:?}");
        }
        assert_eq!(Request::read(b"GET /\xff HTTP/1.1\r\n\r\n"), Err(400));
    }

    #[test]
    fn nothing_is_below_another_token_host_or_origin() {
        let below = |host: &str, origin: &str, path: &str| {
            let head = format!("GET {path} HTTP/1.1\r\n{host}{origin}\r\n");
            read(&head).unwrap().below("secret", 80).map(str::to_string)
        };
        let (host, page) = ("Host: 127.0.0.1:80\r\n", "Origin: http://localhost:80\r\n");
        assert_eq!(below(host, page, "/secret/frames").as_deref(), Some("frames"));
        assert_eq!(below(host, page, "/secret/?canvas").as_deref(), Some(""));
        assert_eq!(below("Host: localhost:80\r\n", "", "/secret/").as_deref(), Some(""));
        for (host, origin, path) in [
            (host, page, "/secreT/"),
            (host, page, "/secre/"),
            (host, page, "/"),
            (host, page, "secret/"),
            (host, page, "/secret"),
            ("", page, "/secret/"),
            ("Host: evil.example\r\n", page, "/secret/"),
            ("Host: 127.0.0.1:81\r\n", page, "/secret/"),
            (host, "Origin: http://evil.example\r\n", "/secret/"),
            (host, "Origin: null\r\n", "/secret/"),
            (host, "Origin: https://127.0.0.1:80\r\n", "/secret/"),
        ] {
            assert_eq!(below(host, origin, path), None, "{host}{origin}{path}");
        }
    }

    #[test]
    fn whatever_bytes_come_nothing_breaks() {
        let mut random = Random::new(4);
        let good = b"GET /secret/ HTTP/1.1\r\nHost: 127.0.0.1:80\r\nOrigin: null\r\n\r\n";
        for _ in 0..20_000 {
            let mut bytes = good.to_vec();
            for _ in 0..1 + random.below(6) {
                let at = random.below(bytes.len() as u64) as usize;
                bytes[at] = random.below(256) as u8;
            }
            bytes.truncate(random.below(bytes.len() as u64 + 1) as usize);
            let end = end_of_head(&bytes).unwrap_or(bytes.len());
            let _ =
                Request::read(&bytes[..end]).map(|request| request.below("secret", 80).is_some());
        }
    }
}
