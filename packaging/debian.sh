# SPDX-License-Identifier: MIT
# Sourced by the scripts beside it: packages and sources of one Debian release, verified by apt, without touching the
# system's own lists.

# Where this machine gets its Debian packages from.
debian_mirror() {
  local found
  found=$(sed -nE 's/^deb +(\[[^]]*\] +)?(https?:[^ ]*\/debian)\/? .*/\2/p; s/^URIs: *(https?:[^ ]*\/debian)\/?$/\1/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -1) || true
  echo "${found:-http://deb.debian.org/debian}"
}

# apt-get over the release alone: its lists lie in FOLDER/apt. DEBIAN_ARCHITECTURE: another one than this machine's.
debian_apt() {  # FOLDER ARGUMENTS...
  local folder
  folder=$(cd "$1" && pwd)/apt
  shift
  local architecture=()
  [ -z "${DEBIAN_ARCHITECTURE:-}" ] || architecture=(-o APT::Architecture="$DEBIAN_ARCHITECTURE" -o APT::Architectures::="$DEBIAN_ARCHITECTURE")
  apt-get "${architecture[@]}" -o Dir::Etc::sourcelist="$folder/sources.list" -o Dir::Etc::sourceparts="$folder/none" \
    -o Dir::Etc::preferencesparts="$folder/none" -o Dir::State::lists="$folder/lists" -o Dir::State::status="$folder/status" \
    -o Dir::Cache="$folder/cache" -o APT::Sandbox::User=root -qq "$@"
}

# The lists of a release: KIND is deb or deb-src.
debian_lists() {  # FOLDER KIND RELEASE...
  local folder=$1 kind=$2 release mirror
  shift 2
  mirror=$(debian_mirror)
  mkdir -p "$folder/apt/none" "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
  : >"$folder/apt/status"
  : >"$folder/apt/sources.list"
  for release in "$@"; do
    local place=$mirror
    [[ $release != *-security ]] || place=${mirror%/debian}/debian-security
    echo "$kind [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $place $release main" >>"$folder/apt/sources.list"
  done
  debian_apt "$folder" update
}

# What is in packages of a release, and in those that they need, unpacked and not set up: for programs of another machine.
debian_system() {  # FOLDER RELEASE PACKAGES...
  local folder=$1 release=$2 lists=$1.packages package link target
  shift 2
  [ "$(cat "$folder/.complete" 2>/dev/null)" != "$release $*" ] || return 0
  echo "unpacking $* of Debian's $release in $folder" >&2
  rm -rf "$folder" "$lists"
  # As Debian has it since 12: one folder of libraries and programs each, in usr.
  mkdir -p "$folder"/usr/{bin,sbin,lib} "$lists"
  ln -s usr/bin usr/sbin usr/lib "$folder"
  debian_lists "$lists" deb "$release" >&2
  debian_apt "$lists" -o Debug::NoLocking=1 install -y --no-install-recommends --download-only "$@" >&2
  for package in "$lists"/apt/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$folder" --keep-directory-symlink --no-same-owner --exclude=./usr/share/{doc,man,locale} --exclude=./dev
  done
  rm -rf "$lists"
  # What is absolute there would lead out of it.
  find "$folder" -type l -lname '/*' -printf '%p %l\n' | while read -r link target; do
    ln -sfn "$(realpath -ms --relative-to="$(dirname "$link")" "$folder$target")" "$link"
  done
  echo "$release $*" >"$folder/.complete"
}
