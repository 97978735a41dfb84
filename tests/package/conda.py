"""conda.py RECIPE WORK PREFIX: builds the recipe with rattler-build, runs its tests, and installs
the package from a channel of its own into PREFIX. Packages that only name this machine's compilers
stand for conda-forge's; there is no other channel."""

import asyncio
import os
import shlex
import sys
from pathlib import Path

import rattler
from rattler_build import ToolConfiguration, VariantConfig
from rattler_build.render import RenderConfig
from rattler_build.stage0 import Stage0Recipe

recipe, work, prefix = (Path(word).resolve() for word in sys.argv[1:])
channel = work / "channel"
VARIANTS = "c_compiler: [its-c]\nrust_compiler: [its-rust]\nc_stdlib: [its-libc]\n"


def stand_in(name, variables):
    """A package that sets variables in the environments that it is installed in."""
    file = work / name / "recipe.yaml"
    file.parent.mkdir()
    lines = [f"export {variable}={shlex.quote(value)}" for variable, value in variables.items()]
    (file.parent / "build.sh").write_text(
        f"mkdir -p $PREFIX/etc/conda/activate.d\n"
        f"cat >$PREFIX/etc/conda/activate.d/{name}.sh <<'END'\n" + "\n".join(lines) + "\nEND\n")
    file.write_text(f"package: {{name: {name}, version: 1}}\n")
    build(file, "skip")


def build(path, test):
    rendered = Stage0Recipe.from_file(path).render(VariantConfig.from_yaml(VARIANTS), RenderConfig())
    tools = ToolConfiguration(test_strategy=test)
    for variant in rendered:
        made = variant.run_build(tools, output_dir=channel, channels=[channel.as_uri()])
        for package in made.packages:
            print(f"== built: {Path(package).name}", flush=True)


async def install():
    records = await rattler.solve([rattler.Channel(channel.as_uri())], ["ftmpi-rs"])
    await rattler.install(records, prefix, cache_dir=work / "cache", show_progress=False)
    print(f"== installed: {', '.join(record.name.normalized for record in records)}")


channel.mkdir(parents=True)
home = Path.home()
cargo = {name: value for name, value in os.environ.items() if name.startswith("CARGO_PROFILE_")}
cargo["RUSTUP_HOME"] = os.environ.get("RUSTUP_HOME", str(home / ".rustup"))
cargo["CARGO_HOME"] = os.environ.get("CARGO_HOME", str(home / ".cargo"))
stand_in("its-rust_linux-64", cargo)
stand_in("its-c_linux-64", {"CC": "cc"})
stand_in("its-libc_linux-64", {})
build(recipe / "recipe.yaml", "native")
asyncio.run(install())
