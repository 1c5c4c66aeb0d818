# SPDX-License-Identifier: MIT
# Debian packages, one for each component (./dev package): heddle, libheddle-dev, heddle-vulkan-driver,
# heddle-footprint-layer, python3-heddle.
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/heddle RENAME copyright COMPONENT program)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/heddle COMPONENT program)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/heddle COMPONENT program FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libheddle-dev RENAME copyright COMPONENT dev)
install(DIRECTORY examples/library DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libheddle-dev/examples COMPONENT dev FILES_MATCHING PATTERN "*.cpp")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/heddle-vulkan-driver RENAME copyright COMPONENT vulkan)

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program dev)
if(TARGET vulkan_heddle)
  list(APPEND CPACK_COMPONENTS_ALL vulkan)
endif()
if(TARGET VkLayer_heddle_footprint)
  list(APPEND CPACK_COMPONENTS_ALL layer)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/heddle-footprint-layer RENAME copyright COMPONENT layer)
endif()
if(HEDDLE_HAS_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/python3-heddle RENAME copyright COMPONENT python)
endif()
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGE_CONTACT "The Heddle developers <heddle@localhost>")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
set(CPACK_STRIP_FILES ON)
# What a package is called, what it says of itself, and what it needs beside the libraries that its programs name.
macro(heddle_package component name summary depends)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
endmacro()
heddle_package(program heddle "runs GPU image instructions without the GPU
 Assembles, checks, compiles and runs Intel vISA and SPIR-V image shaders on the CPU." "")
heddle_package(dev libheddle-dev "library that runs GPU image instructions without the GPU
 Headers, archives, CMake and pkg-config files."
 "heddle (= ${PROJECT_VERSION}), libfmt-dev, libsimdjson-dev, libtbb-dev, libopenexr-dev, libjpeg62-turbo-dev, libspng-dev, libwebp-dev, libzstd-dev, zlib1g-dev, libyaml-dev, spirv-tools, libastcenc-dev, pkg-config")
heddle_package(vulkan heddle-vulkan-driver "Vulkan driver that runs on the CPU, with exact texels
 Found by the Vulkan loader; its compiler belongs to the package heddle." "heddle (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_VULKAN_PACKAGE_RECOMMENDS libvulkan1)  # the loader: what finds the driver for a program
heddle_package(layer heddle-footprint-layer "Vulkan layer for texel footprints on any device
 Gives devices VK_NV_shader_image_footprint by rewriting shaders; needs nothing else of Heddle." "")
set(CPACK_DEBIAN_LAYER_PACKAGE_RECOMMENDS libvulkan1)
heddle_package(python python3-heddle "textures as NumPy arrays, shaders from Python
 The module heddle: images, samplers, operations over arrays, programs." "heddle (= ${PROJECT_VERSION}), python3 (>= 3.11), python3 (<< 3.12), python3-numpy")
include(CPack)
