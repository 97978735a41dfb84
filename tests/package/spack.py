"""spack.py PACKAGE.PY PREFIX: carries out a recipe with a small stand-in for Spack, which knows the
directives and helpers that the recipe may use and refuses all others. Called where the project has
been built: `cargo` is not called again, only noted."""

import importlib.util
import os
import shutil
import subprocess
import sys
import types
from pathlib import Path

recipe, prefix = Path(sys.argv[1]), Path(sys.argv[2])
said, called = [], []


def directive(name, *known):
    """A directive of a package's class, with these keywords."""
    def note(*words, **options):
        unknown = set(options) - set(known)
        assert not unknown, f"{name} has no {unknown}"
        said.append((name, words, options))
    return note


class Executable:
    def __init__(self, path):
        self.path = path

    def __call__(self, *words):
        called.append([Path(self.path).name, *words])
        if Path(self.path).name != "cargo":
            subprocess.run([self.path, *words], check=True)


def which(name, required=False):
    found = shutil.which(name)
    assert found or not required, name
    return Executable(found)


class Prefix(str):
    """A path whose attributes are paths below it."""
    def __getattr__(self, name):
        return Prefix(os.path.join(self, name))


class Package:
    def __init__(self, spec):
        self.spec, self.prefix = spec, spec.prefix


class Variables(dict):
    def set(self, name, value):
        self[name] = value


package = types.ModuleType("spack.package")
package.__dict__.update(
    Package=Package, Executable=Executable, which=which, join_path=os.path.join,
    license=directive("license", "checked_by", "when"),
    version=directive("version", "sha256", "url", "preferred", "deprecated"),
    depends_on=directive("depends_on", "type", "when", "patches"),
    requires=directive("requires", "msg", "when", "policy"),
    provides=directive("provides", "when"))
sys.modules["spack"] = types.ModuleType("spack")
sys.modules["spack.package"] = package

found = importlib.util.spec_from_file_location("recipe", recipe)
module = importlib.util.module_from_spec(found)
found.loader.exec_module(module)
archive = Path(module.FtmpiRs.url.removeprefix("file://"))
assert archive.is_file(), archive
assert ("provides", ("mpi",), {}) in said, said
spec = types.SimpleNamespace(prefix=Prefix(prefix))
its = module.FtmpiRs(spec)
its.install(spec, spec.prefix)
assert called[0] == ["cargo", "build", "--release", "--locked"], called
print(f"== spack: install did {called[1:]}")
# Who depends on it finds the wrappers, which call Spack's compilers.
compilers = types.SimpleNamespace(spack_cc="/spack/cc", spack_cxx="/spack/c++", spack_fc=None)
dependent = types.SimpleNamespace(package=types.SimpleNamespace(module=compilers))
variables = Variables()
its.setup_dependent_build_environment(variables, dependent)
its.setup_dependent_package(compilers, dependent)
wrappers = [variables[name] for name in ["MPICC", "MPICXX", "MPIF77", "MPIF90"]]
wrappers += [spec.mpicc, spec.mpicxx, spec.mpif77, spec.mpifc]
assert all(os.access(wrapper, os.X_OK) for wrapper in wrappers), wrappers
assert (variables["FTMPI_CC"], variables.get("FTMPI_FC")) == ("/spack/cc", None), variables
print(f"== spack: dependents get {' '.join(sorted(variables))}")
