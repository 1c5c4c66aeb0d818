// SPDX-License-Identifier: MIT
// Which texture unit a platform has.

#include <gtest/gtest.h>

#include "machine/thread.hpp"

namespace heddle::machine {
namespace {

using texture::UnitPlatform;

TEST(UnitPlatform, EveryPlatformNamesAUnitThatThereIs) {
  for (const isa::PlatformInfo& row : isa::all_platforms()) {
    EXPECT_TRUE(texture::find_unit_platform(row.unit)) << row.name;
    EXPECT_EQ(texture::name_of(unit_platform(row.platform)), row.unit);
  }
}

TEST(UnitPlatform, PlatformsBetweenHaveThatOfTheOneBefore) {
  EXPECT_EQ(unit_platform(isa::Platform::BDW), UnitPlatform::Skl);
  EXPECT_EQ(unit_platform(isa::Platform::BXT), UnitPlatform::Skl);
  EXPECT_EQ(unit_platform(isa::Platform::XeHP_SDV), UnitPlatform::Dg2);
  EXPECT_EQ(unit_platform(isa::Platform::MTL), UnitPlatform::Dg2);
  EXPECT_EQ(unit_platform(isa::Platform::PVCXT), UnitPlatform::Pvc);
  EXPECT_EQ(unit_platform(isa::Platform::ARL), UnitPlatform::Dg2);
  EXPECT_EQ(unit_platform(isa::Platform::XE3P), UnitPlatform::Xe2);
}

}  // namespace
}  // namespace heddle::machine
