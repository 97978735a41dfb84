# Programs made for another MPI: this project's own test programs and examples are compiled by the
# wrapper of MPICH's wheel, with MPICH's header of the standard ABI, and linked with its
# libmpi_abi.so.1; then the tests run them on this library, unchanged. What calls functions of ours
# and what is Fortran (that wheel brings nothing for it) is compiled as usual, and not counted.
mpich
made=$log/abi-programs
cat >"$work/mpicc-of-mpich" <<END
#!/bin/sh
# Notes what could be compiled. Our library comes first for programs that run without ftrun.
"$peer/bin/mpicc_abi" "-Wl,-rpath,$root/target/release" "\$@" || exit
for word in "\$@"; do
    case \$word in *.c) echo "\${word##*/}" >>"$made" ;; esac
done
END
chmod +x "$work/mpicc-of-mpich"
# The programs of the last run are kept; each was noted when it was compiled.
touch "$made"
tests="aids abi coll comm datatypes deadlock death ends env examples grequest matching ops pt2pt"
names=""
for test in $tests sessions stress topo; do
    names="$names --test $test"
done
# shellcheck disable=SC2086  # the names are words
step abi 3600 env FTMPI_TEST_MPICC="$work/mpicc-of-mpich" \
    cargo test --release --no-fail-fast $names
ran=$(sed -n 's/^test result: ok. \([0-9]*\) passed.*/\1/p' "$log/abi" |
    awk '{ n += $1 } END { print n }')
programs=$(sort -u "$made" | grep -c .)
[ "$programs" -ge 25 ] || fail "abi: only $programs programs were compiled with MPICH's header"
# Among the tests are a few of programs that were compiled as usual.
passed "$programs" "$programs programs compiled with MPICH's header, in $ran tests"
