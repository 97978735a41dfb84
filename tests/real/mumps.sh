# MUMPS, a direct solver in Fortran: packed messages, probes, sends out of buffers of its own.
# It is built without ScaLAPACK, whose routines stop if they are called: the root of the
# elimination tree is left to one rank (ICNTL(13)).
source_of mumps
algebra
cd "$work/mumps"
if [ ! -x examples/dsimpletest ]; then
    say "building mumps"
    sed -n '/SUBROUTINE blacs_gridinit/,$p' libseq/mpi.f >stubs.f
    step mumps-stubs 60 gfortran -std=legacy -c stubs.f -o stubs.o
    cat >Makefile.inc <<END
LPORDDIR = \$(topdir)/PORD/lib/
IPORD = -I\$(topdir)/PORD/include/
LPORD = -L\$(LPORDDIR) -lpord
ORDERINGSF = -Dpord
ORDERINGSC = \$(ORDERINGSF)
LORDERINGS = \$(LPORD)
IORDERINGSC = \$(IPORD)
LIBEXT = .a
OUTC = -o
OUTF = -o
RM = /bin/rm -f
CC = mpicc
FC = mpifort
FL = mpifort
AR = ar vr 
RANLIB = ranlib
LIBS = $work/mumps/stubs.o $lapack
LIBBLAS = $blas
LIBOTHERS = -lpthread
CDEFS = -DAdd_
OPTF = -O1 -std=legacy
OPTC = -O1
OPTL = -O1
LIBSEQNEEDED =
END
    sed -i '/mumps_par%JOB = 6/i\      mumps_par%ICNTL(13) = 1' examples/dsimpletest.F
    step mumps-build 1800 make d
fi
mkdir -p "$work/run/mumps"
cd "$work/run/mumps"

# A Laplacian on a cube of N points a side, with the right-hand side whose solution is all ones.
cube() {
    awk -v n="$1" 'BEGIN {
        total = n * n * n
        for (z = 0; z < n; z++) for (y = 0; y < n; y++) for (x = 0; x < n; x++) {
            me = 1 + x + n * (y + n * z); sum = 8.5
            line[++count] = me " " me " 8.5"
            for (d = 0; d < 6; d++) {
                a = x + (d == 0) - (d == 1); b = y + (d == 2) - (d == 3)
                c = z + (d == 4) - (d == 5)
                if (a < 0 || b < 0 || c < 0 || a >= n || b >= n || c >= n) continue
                weight = -1 - d / 10
                line[++count] = me " " 1 + a + n * (b + n * c) " " weight
                sum += weight
            }
            right[me] = sum
        }
        print total; print count
        for (i = 1; i <= count; i++) print line[i]
        for (i = 1; i <= total; i++) printf "%.15g\n", right[i]
    }'
}

# mumps_run RANKS POINTS
mumps_run() {
    cube "$2" >"cube-$2"
    timeout -k 10 600 ftrun -np "$1" "$work/mumps/examples/dsimpletest" \
        <"cube-$2" >"out-$1-$2" 2>&1 ||
        { tail -n 5 "out-$1-$2" >&2; fail "mumps on $1 ranks failed ($PWD/out-$1-$2)"; }
    worst=$(awk -v n="$2" '
        /Solution is/ { is = 1; sub(/.*Solution is/, "") }
        /[A-DF-Za-z]/ { is = 0 }
        is { for (i = 1; i <= NF; i++) { e = $i - 1; if (e < 0) e = -e; if (e > w) w = e; seen++ } }
        END { if (seen != n * n * n) w = seen " unknowns"; print w + 0 == w ? w + 0 : w }
    ' "out-$1-$2")
    echo "$worst" | awk '{ exit !($1 + 0 == $1 && $1 < 1e-9) }' ||
        fail "mumps on $1 ranks: the solution is off by $worst ($PWD/out-$1-$2)"
    passed 1 "$1 ranks, $2 points a side: off by $worst"
}

for ranks in 1 2 3 4 7 12; do
    mumps_run "$ranks" 5
    mumps_run "$ranks" 16
done
