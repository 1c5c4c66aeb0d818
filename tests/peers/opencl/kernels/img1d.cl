//! global 32
//! local 16
//! out o u32 32
//! zero
//! image a unorm8 32 4
//! skip pvc
__kernel void img1d(__global uint* o, read_only image2d_t a) { int g = get_global_id(0); int2 d = get_image_dim(a); o[g] = (d.x != 32) + 2 * (d.y != 4) + 4 * (get_image_channel_order(a) != CLK_RGBA) + 8 * (get_image_channel_data_type(a) != CLK_UNORM_INT8); }
