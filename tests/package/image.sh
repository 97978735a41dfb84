#!/bin/sh
# image.sh STAGE CONTEXT: builds an image of the directory CONTEXT by podman, if it is there, or by buildah, and runs
# use.sh in a container of it by buildah. The image that the file begins with is made here, by debootstrap: no registry
# of images is asked. Wants to be root.
set -eu
stage=$1
context=$2
for program in buildah debootstrap; do
    command -v "$program" >/dev/null || {
        echo "image.sh: $program is missing: apt-get install buildah debootstrap" >&2
        exit 1
    }
done
export BUILDAH_ISOLATION=chroot
base=$(sed -n 's/^FROM //p' "$context/Containerfile")
store="--root $stage/store --runroot $stage/run --storage-driver vfs"
# shellcheck disable=SC2064  # the stage is known now
trap "rm -rf '$stage/store' '$stage/run' '$stage/base'" EXIT

debootstrap --variant=minbase bookworm "$stage/base" >"$stage/debootstrap.log" 2>&1 || {
    tail -n 5 "$stage/debootstrap.log" >&2
    exit 1
}
# shellcheck disable=SC2086  # options are words
in_store() {
    name=$1
    shift
    buildah $store "$name" "$@"
}
from=$(in_store from scratch)
in_store add --quiet "$from" "$stage/base" / >/dev/null
in_store commit --quiet "$from" "docker.io/library/$base" >/dev/null
in_store rm "$from" >/dev/null
if command -v podman >/dev/null; then
    # shellcheck disable=SC2086  # options are words
    podman $store --cgroup-manager cgroupfs --events-backend none build --quiet \
        --isolation chroot --pull=never -t ftmpi-rs -f "$context/Containerfile" "$context" >&2
    echo "== podman has built the image"
else
    in_store bud --quiet --pull-never -t ftmpi-rs -f "$context/Containerfile" "$context" >&2
    echo "== buildah has built the image"
fi
box=$(in_store from --pull-never localhost/ftmpi-rs)
# The image has no Python: who wants mpi4py adds it.
in_store run "$box" sh -c 'apt-get update -q && apt-get install -q -y --no-install-recommends \
    python3-venv python3-dev' >"$stage/python.log" 2>&1 || {
    tail -n 5 "$stage/python.log" >&2
    exit 1
}
in_store run -v "$stage/examples:/stage/examples" "$box" sh /stage/examples/use.sh
