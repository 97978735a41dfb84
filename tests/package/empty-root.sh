#!/bin/sh
# empty-root.sh STAGE COMMAND…: runs the command in a root of its own, which has the system's
# programs and nothing else: no checkout, no home, no compiler cache. What it changes, /usr and the
# list of Debian's packages included, is in memory and gone when it ends. STAGE appears as /stage.
set -eu
if [ "${1:-}" != --inside ]; then
    as_root=""
    [ "$(id -u)" -eq 0 ] || as_root=--map-root-user
    # shellcheck disable=SC2086  # no word, if it is empty
    exec unshare --mount $as_root sh "$0" --inside "$@"
fi
shift
stage=$1
shift
root=$(mktemp -d)
mount -t tmpfs none "$root"
mkdir "$root/over" "$root/work" "$root/new"
new=$root/new
mkdir -p "$new/usr" "$new/proc" "$new/dev" "$new/sys" "$new/stage" "$new/var/lib" "$new/opt" \
    "$new/root" "$new/home/user" "$new/run"
mkdir -m 1777 "$new/tmp"
mount -t overlay none -o "lowerdir=/usr,upperdir=$root/over,workdir=$root/work" "$new/usr"
for name in bin sbin lib lib32 lib64 libx32; do
    [ ! -L "/$name" ] || ln -s "usr/$name" "$new/$name"
done
cp -a /etc "$new/etc"
cp -a /var/lib/dpkg "$new/var/lib/dpkg"
for name in proc dev sys; do
    mount --rbind "/$name" "$new/$name"
done
mount --bind "$stage" "$new/stage"
# What configures pip and names certificates is kept: behind a proxy nothing else would work.
kept=$(env | grep -E '^(PIP_|SSL_|REQUESTS_|[a-z]+_proxy|[A-Z]+_PROXY)[A-Za-z_]*=' |
    grep -v -e ' ' -e PIP_FIND_LINKS || true)
# shellcheck disable=SC2086  # each is a word
exec env -i $kept HOME=/home/user LC_ALL=C.UTF-8 PATH=/usr/bin:/bin:/usr/sbin:/sbin \
    chroot "$new" "$@"
