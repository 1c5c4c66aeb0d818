// SPDX-License-Identifier: MIT
#pragma once
// The chunks of a PNG: whether they are whole. The library that decodes does not look at every checksum.

#include "image/files/codec.hpp"

namespace heddle::image {

/// Refuses a file whose chunks are damaged where texels depend on them: IHDR, PLTE, tRNS, IDAT, and any chunk that a
/// decoder must know. A damaged chunk of another kind, and a file that ends before IEND, are warnings: the texels are
/// there. Ids: png-header (IHDR), png-data.
[[nodiscard]] base::Result<base::Done> check_png_chunks(Bytes bytes, const std::string& name, base::Diagnostics* notes);

}  // namespace heddle::image
