# Copyright: the ftmpi-rs authors. Apache-2.0 or MIT.

import os

from spack.package import *


class FtmpiRs(Package):
    """An MPI that survives: every rank a thread of one process, and the job goes on when ranks
    die. Implements the ABI of MPI 5."""

    # The source archive is beside this recipe.
    url = "file://" + os.path.join(os.path.dirname(os.path.abspath(__file__)), "@ARCHIVE@")

    license("Apache-2.0 OR MIT")

    version("@VERSION@", sha256="@SHA256@", url=url)

    depends_on("c", type="build")
    depends_on("rust@1.89:", type="build")

    requires("target=x86_64:", msg="ftmpi-rs runs on x86-64 only")
    requires("platform=linux", msg="ftmpi-rs runs on Linux only")

    provides("mpi")

    def install(self, spec, prefix):
        which("cargo", required=True)("build", "--release", "--locked")
        Executable(join_path("target", "release", "ftmpi-install"))(str(prefix))

    def setup_run_environment(self, env):
        wrappers = {"MPICC": "mpicc", "MPICXX": "mpicxx", "MPIF77": "mpif77", "MPIF90": "mpif90"}
        for variable, name in wrappers.items():
            env.set(variable, join_path(self.prefix.bin, name))

    def setup_dependent_build_environment(self, env, dependent_spec):
        self.setup_run_environment(env)
        # The wrappers call the compilers of the package that is built.
        compilers = {"FTMPI_CC": "spack_cc", "FTMPI_CXX": "spack_cxx", "FTMPI_FC": "spack_fc"}
        for variable, name in compilers.items():
            compiler = dependent_spec.package.module.__dict__.get(name)
            if compiler:
                env.set(variable, compiler)

    def setup_dependent_package(self, module, dependent_spec):
        self.spec.mpicc = join_path(self.prefix.bin, "mpicc")
        self.spec.mpicxx = join_path(self.prefix.bin, "mpicxx")
        self.spec.mpif77 = join_path(self.prefix.bin, "mpif77")
        self.spec.mpifc = join_path(self.prefix.bin, "mpif90")
