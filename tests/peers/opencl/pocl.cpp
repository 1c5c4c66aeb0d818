// SPDX-License-Identifier: MIT
#include "peers/opencl/pocl.hpp"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <chrono>
#include <cstring>
#include <regex>

namespace heddle::peers {
namespace {

cl_device_id find_device() {
  cl_platform_id platforms[8];
  cl_uint count = 0;
  if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS) return nullptr;
  for (cl_uint i = 0; i < count && i < 8; ++i) {
    char name[256] = {};
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name - 1, name, nullptr);
    if (std::strstr(name, "Portable Computing Language") == nullptr) continue;
    cl_device_id device = nullptr;
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, nullptr) == CL_SUCCESS) return device;
  }
  return nullptr;
}

cl_image_format format_of(const std::string& type) {
  cl_image_format f{CL_RGBA, CL_UNORM_INT8};
  if (type == "uint8") f.image_channel_data_type = CL_UNSIGNED_INT8;
  if (type == "sint8") f.image_channel_data_type = CL_SIGNED_INT8;
  if (type == "float32") f.image_channel_data_type = CL_FLOAT;
  if (type == "uint32") f.image_channel_data_type = CL_UNSIGNED_INT32;
  return f;
}

std::string failure(const char* what, cl_int status) { return std::string(what) + " (" + std::to_string(status) + ")"; }

}  // namespace

struct PoclObjects {
  Launch launch;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;
  cl_kernel kernel = nullptr;
  std::vector<cl_mem> memory;  ///< of each argument; null: neither buffer nor image
  std::vector<cl_sampler> samplers;
  ~PoclObjects() {
    for (cl_mem m : memory)
      if (m != nullptr) clReleaseMemObject(m);
    for (cl_sampler s : samplers) clReleaseSampler(s);
    if (kernel != nullptr) clReleaseKernel(kernel);
    if (program != nullptr) clReleaseProgram(program);
    if (queue != nullptr) clReleaseCommandQueue(queue);
    if (context != nullptr) clReleaseContext(context);
  }
};

std::string with_halves(std::string source) {
  source = std::regex_replace(source, std::regex(R"(\b([0-9]+\.?[0-9]*)h\b)"), "((_Float16)$1f)");
  source = std::regex_replace(source, std::regex(R"(#pragma OPENCL EXTENSION cl_khr_fp16[^\n]*)"), "");
  return R"(
#define half _Float16
_Float16 __attribute__((overloadable)) clamp(_Float16 x, _Float16 lo, _Float16 hi) { return x < lo ? lo : x > hi ? hi : x; }
)" + source;
}

bool have_pocl() { return find_device() != nullptr; }

namespace {

void prepare(PoclObjects& o, const std::string& source, const std::string& kernel, std::string& why) {
  const Launch& launch = o.launch;
  cl_device_id device = find_device();
  cl_int status = CL_SUCCESS;
  const auto failed = [&](const char* what) { why = failure(what, status); };
  o.context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  if (status != CL_SUCCESS) return failed("clCreateContext");
  o.queue = clCreateCommandQueueWithProperties(o.context, device, nullptr, &status);
  if (status != CL_SUCCESS) return failed("clCreateCommandQueue");
  const char* text = source.c_str();
  o.program = clCreateProgramWithSource(o.context, 1, &text, nullptr, &status);
  status = clBuildProgram(o.program, 1, &device, "-cl-std=CL3.0", nullptr, nullptr);
  if (status != CL_SUCCESS) {
    std::string log(4096, '\0');
    clGetProgramBuildInfo(o.program, device, CL_PROGRAM_BUILD_LOG, log.size() - 1, log.data(), nullptr);
    return failed(("clBuildProgram " + log).c_str());
  }
  o.kernel = clCreateKernel(o.program, kernel.c_str(), &status);
  if (status != CL_SUCCESS) return failed("clCreateKernel");
  cl_uint position = 0;
  o.memory.resize(launch.arguments.size());
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const Argument& a = launch.arguments[i];
    if (a.symbol) continue;
    const auto index = position++;
    switch (a.kind) {
      case Argument::Kind::Value:
        status = clSetKernelArg(o.kernel, index, a.bytes.size(), a.bytes.data());
        break;
      case Argument::Kind::Sampler: {
        const cl_addressing_mode mode = a.address == "repeat"            ? CL_ADDRESS_REPEAT
                                        : a.address == "mirrored_repeat" ? CL_ADDRESS_MIRRORED_REPEAT
                                        : a.address == "clamp_to_border" ? CL_ADDRESS_CLAMP
                                                                         : CL_ADDRESS_CLAMP_TO_EDGE;
        const cl_sampler_properties properties[] = {
            CL_SAMPLER_NORMALIZED_COORDS,
            static_cast<cl_sampler_properties>(a.normalized ? CL_TRUE : CL_FALSE),
            CL_SAMPLER_ADDRESSING_MODE,
            mode,
            CL_SAMPLER_FILTER_MODE,
            static_cast<cl_sampler_properties>(a.linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST),
            0};
        cl_sampler sampler = clCreateSamplerWithProperties(o.context, properties, &status);
        if (status != CL_SUCCESS) return failed("clCreateSampler");
        o.samplers.push_back(sampler);
        status = clSetKernelArg(o.kernel, index, sizeof sampler, &sampler);
        break;
      }
      case Argument::Kind::Local:
        status = clSetKernelArg(o.kernel, index, a.bytes.size(), nullptr);
        break;
      case Argument::Kind::Buffer:
        o.memory[i] = clCreateBuffer(o.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, a.bytes.size(),
                                     const_cast<std::uint8_t*>(a.bytes.data()), &status);
        if (status != CL_SUCCESS) return failed("clCreateBuffer");
        status = clSetKernelArg(o.kernel, index, sizeof(cl_mem), &o.memory[i]);
        break;
      case Argument::Kind::Image: {
        const cl_image_format format = format_of(a.type);
        cl_image_desc desc{};
        desc.image_type = a.depth != 0 ? CL_MEM_OBJECT_IMAGE3D : CL_MEM_OBJECT_IMAGE2D;
        desc.image_width = a.width;
        desc.image_height = a.height;
        desc.image_depth = a.depth;
        o.memory[i] = clCreateImage(o.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &desc,
                                    const_cast<std::uint8_t*>(a.bytes.data()), &status);
        if (status != CL_SUCCESS) return failed("clCreateImage");
        status = clSetKernelArg(o.kernel, index, sizeof(cl_mem), &o.memory[i]);
        break;
      }
    }
    if (status != CL_SUCCESS) return failed(("clSetKernelArg " + a.name).c_str());
  }
}

}  // namespace

PoclKernel::PoclKernel(const std::string& source, const std::string& kernel, const Launch& launch, std::string& why)
    : objects_(std::make_unique<PoclObjects>()) {
  objects_->launch = launch;
  prepare(*objects_, source, kernel, why);
}
PoclKernel::~PoclKernel() = default;

double PoclKernel::run(std::string& why) {
  const PoclObjects& o = *objects_;
  const Launch& l = o.launch;
  const auto start = std::chrono::steady_clock::now();
  cl_int status = clEnqueueNDRangeKernel(o.queue, o.kernel, static_cast<cl_uint>(l.global.size()),
                                         l.offset.empty() ? nullptr : l.offset.data(), l.global.data(), l.local.data(),
                                         0, nullptr, nullptr);
  if (status != CL_SUCCESS) return why = failure("clEnqueueNDRangeKernel", status), 0;
  status = clFinish(o.queue);
  if (status != CL_SUCCESS) return why = failure("clFinish", status), 0;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::optional<std::vector<std::vector<std::uint8_t>>> PoclKernel::outputs(std::string& why) {
  std::vector<std::vector<std::uint8_t>> outputs;
  const PoclObjects& o = *objects_;
  cl_int status = CL_SUCCESS;
  for (std::size_t i = 0; i < o.launch.arguments.size(); ++i) {
    const Argument& a = o.launch.arguments[i];
    if (!a.output) continue;
    outputs.emplace_back(a.bytes.size());
    if (a.kind == Argument::Kind::Image) {
      const std::size_t origin[3] = {0, 0, 0}, region[3] = {a.width, a.height, a.depth != 0 ? a.depth : 1};
      status = clEnqueueReadImage(o.queue, o.memory[i], CL_TRUE, origin, region, 0, 0, outputs.back().data(), 0,
                                  nullptr, nullptr);
    } else {
      status = clEnqueueReadBuffer(o.queue, o.memory[i], CL_TRUE, 0, a.bytes.size(), outputs.back().data(), 0, nullptr,
                                   nullptr);
    }
    if (status != CL_SUCCESS) return why = failure("read", status), std::nullopt;
  }
  return outputs;
}

std::optional<std::vector<std::vector<std::uint8_t>>> run_pocl(const std::string& source, const std::string& kernel,
                                                               const Launch& launch, std::string& why) {
  why.clear();
  PoclKernel one(source, kernel, launch, why);
  if (why.empty()) one.run(why);
  return why.empty() ? one.outputs(why) : std::nullopt;
}

}  // namespace heddle::peers
