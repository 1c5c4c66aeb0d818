// SPDX-License-Identifier: MIT
// SHA-256 of FIPS 180-4's and NIST's own messages.

#include <gtest/gtest.h>

#include <string>

#include "base/bits/sha256.hpp"

namespace heddle::base {
namespace {

TEST(Sha256, OfTheStandardsMessages) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// However it comes in pieces: about the ends of blocks, where the length goes into a block of its own.
TEST(Sha256, OfPieces) {
  for (const std::size_t size : {1u, 55u, 56u, 63u, 64u, 65u, 119u, 120u, 128u, 200u})
    for (const std::size_t piece : {1u, 7u, 64u, 100u}) {
      const std::string text(size, 'x');
      Sha256 hash;
      for (std::size_t at = 0; at < size; at += piece) hash.add(std::string_view(text).substr(at, piece));
      EXPECT_EQ(hash.hex(), sha256(text)) << size << " by " << piece;
    }
}

}  // namespace
}  // namespace heddle::base
