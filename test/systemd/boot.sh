#!/bin/sh
# Boots a systemd of its own: boot.sh <folder> <repository>. Its root is an overlay over this machine's, with its own
# /tmp, /run and /dev: a boot empties /tmp. Only <folder>/shared is written through. It ends when this process is killed
# or the one that started it ends.
set -eu
folder=$1 repository=$2
if [ "${3:-}" != inside ]; then
  groups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
  mkdir -p "$groups/openclaw-integrity-$$"
  echo $$ >"$groups/openclaw-integrity-$$/cgroup.procs"
  exec setpriv --pdeathsig KILL unshare --mount --pid --uts --ipc --cgroup --fork --kill-child --mount-proc \
    "$0" "$folder" "$repository" inside
fi
mount --make-rprivate /
root=$folder/root
mkdir -p "$root" "$folder/layer" "$folder/shared"
mount -t tmpfs tmpfs "$folder/layer"
mkdir "$folder/layer/upper" "$folder/layer/work"
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/layer/upper,workdir=$folder/layer/work" "$root"
umount -R /sys/fs/cgroup || umount -l /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir -p "$root/var/lib/systemd/linger"
: >"$root/var/lib/systemd/linger/root"
cat >"$root/etc/systemd/system/small.target" <<'UNIT'
[Unit]
Requires=dbus.socket systemd-logind.service systemd-journald.service user@0.service
After=dbus.socket systemd-logind.service user@0.service
UNIT
exec systemd-nspawn --quiet --register=no --keep-unit --console=pipe --link-journal=no --directory="$root" --boot \
  --bind-ro="$repository:$repository:norbind" --bind="$folder/shared" -- --unit=small.target
