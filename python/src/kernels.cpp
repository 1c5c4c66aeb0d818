// SPDX-License-Identifier: MIT
// heddle.Buffer, and the runs behind heddle.Kernel: heddle/_kernel.py gives them their arguments.

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>
#include <thread>

#include "module.hpp"
#include "programs.hpp"

namespace heddle::python {
namespace {

struct PyBuffer {
  Buffer buffer;
};

PyBuffer buffer_of(const py::args& args, const py::kwargs& names) {
  if (args.size() != 1 || names.size() != 0) throw py::type_error("Buffer() takes a number of bytes, or an array");
  const py::object source = args[0];
  if (PyLong_Check(source.ptr()) != 0) {
    const auto bytes = source.cast<long long>();
    if (bytes < 0 || bytes > (1LL << 40)) throw Failure("a buffer has 0 and more bytes, not " + std::to_string(bytes));
    return {Buffer(static_cast<std::size_t>(bytes))};
  }
  Py_buffer view;
  if (PyObject_GetBuffer(source.ptr(), &view, PyBUF_C_CONTIGUOUS) != 0) throw py::error_already_set();
  PyBuffer buffer{Buffer(static_cast<std::size_t>(view.len))};
  if (view.len != 0) std::memcpy(buffer.buffer.bytes().data(), view.buf, static_cast<std::size_t>(view.len));
  PyBuffer_Release(&view);
  return buffer;
}

/// Whether the array still has the buffer's bytes.
bool same_bytes(const PyBuffer& self, const py::object& array) {
  Py_buffer view;
  if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_C_CONTIGUOUS) != 0) throw py::error_already_set();
  const std::span<std::uint8_t> bytes = self.buffer.bytes();
  const bool same = static_cast<std::size_t>(view.len) == bytes.size() &&
                    (bytes.empty() || std::memcmp(view.buf, bytes.data(), bytes.size()) == 0);
  PyBuffer_Release(&view);
  return same;
}

/// A member of what Python gives, as a type; `what` says in words what is expected.
template <typename T>
T member(const py::dict& given, const char* name, const char* what) {
  const py::object value = given[name];
  try {
    return value.cast<T>();
  } catch (const py::cast_error&) {
    throw py::type_error("'" + std::string(name) + "' takes " + what + ", not " + py::repr(value).cast<std::string>());
  }
}
constexpr const char *kText = "a text", *kInteger = "an integer from 0 on", *kNumber = "a number", *kFlag = "a bool";

/// Copies between an array's bytes and a buffer of the same size.
void exchange(const PyBuffer& self, const py::object& array, bool to_array) {
  Py_buffer view;
  if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_C_CONTIGUOUS | (to_array ? PyBUF_WRITABLE : 0)) != 0)
    throw py::error_already_set();
  const std::span<std::uint8_t> bytes = self.buffer.bytes();
  const bool fits = static_cast<std::size_t>(view.len) == bytes.size();
  if (fits && !bytes.empty()) {
    if (to_array)
      std::memcpy(view.buf, bytes.data(), bytes.size());
    else
      std::memcpy(bytes.data(), view.buf, bytes.size());
  }
  PyBuffer_Release(&view);
  if (!fits) throw Failure("the array has another number of bytes than when it was bound");
}

// --- Ctrl-C
// -----------------------------------------------------------------------------------------------------------

const std::thread::id main_thread = std::this_thread::get_id();
std::atomic<const Cancellation*> running{nullptr};
struct sigaction python_action;

void on_interrupt(int signal) {
  if (const Cancellation* run = running.load()) run->cancel();
  python_action.sa_handler(signal);
}

/// While it lives, Ctrl-C ends the run. Of the main thread, which alone gets Python's KeyboardInterrupt.
class Interruptible {
 public:
  explicit Interruptible(const Cancellation& cancellation) {
    cancellation.reset();
    if (std::this_thread::get_id() != main_thread) return;
    struct sigaction ours{};
    ours.sa_handler = on_interrupt;
    if (sigaction(SIGINT, nullptr, &python_action) != 0 || (python_action.sa_flags & SA_SIGINFO) != 0 ||
        python_action.sa_handler == SIG_DFL || python_action.sa_handler == SIG_IGN ||
        python_action.sa_handler == on_interrupt)
      return;
    ours.sa_flags = python_action.sa_flags;
    running = &cancellation;
    active_ = sigaction(SIGINT, &ours, nullptr) == 0;
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
  ~Interruptible() {
    if (active_) sigaction(SIGINT, &python_action, nullptr);
    if (active_) running = nullptr;
  }

 private:
  bool active_ = false;
};

// --- runs
// -------------------------------------------------------------------------------------------------------------

/// A run with what it is bound to, and who watches it.
class PyRun {
 public:
  PyRun(const PyProgram& program, const py::dict& given) : progress_(given["progress"]) {
    options_.entry = member<std::string>(given, "entry", kText);
    options_.platform = member<std::string>(given, "platform", kText);
    const auto engine = member<std::string>(given, "engine", kText);
    if (engine != "auto" && engine != "reference" && engine != "fast")
      throw Failure("unknown engine '" + engine + "'; one of: auto reference fast");
    options_.engine = engine == "auto" ? Engine::Automatic : engine == "fast" ? Engine::Fast : Engine::Reference;
    const auto checks = member<std::string>(given, "checks", kText);
    if (checks == "off" || checks == "warn" || checks == "error")
      options_.check = checks == "off" ? Check::Off : checks == "warn" ? Check::Warn : Check::Error;
    else if (checks != "auto")
      throw Failure("unknown checks '" + checks + "'; one of: auto off warn error");
    if (!given["simd"].is_none()) options_.simd = member<unsigned>(given, "simd", kInteger);
    options_.threads = member<unsigned>(given, "threads", kInteger);
    options_.zeinfo = member<std::string>(given, "zeinfo", kText);
    if (!given["steps"].is_none()) options_.limits.steps = member<std::uint64_t>(given, "steps", kInteger);
    if (!given["seconds"].is_none()) options_.limits.seconds = member<double>(given, "seconds", kNumber);
    if (!given["trace"].is_none()) watch(given["trace"].cast<py::dict>());
    if (!progress_.is_none()) options_.progress = [this](double part) { show(part); };
    options_.cancellation = cancellation_;
    run_.emplace(program.program, options_);
  }
  PyRun(const PyRun&) = delete;
  PyRun& operator=(const PyRun&) = delete;

  void bind_image(const std::string& key, const PyImage& image) { run_->bind(key, image.image); }
  void bind_buffer(const std::string& key, const PyBuffer& buffer) { run_->bind(key, buffer.buffer); }
  void bind_sampler(const std::string& key, const PySampler& sampler) { run_->bind(key, sampler.sampler); }
  void set_integers(const std::string& key, const std::vector<std::int64_t>& values, bool vector) {
    if (vector)
      run_->set(key, values);
    else
      run_->set(key, values.at(0));
  }
  void set_reals(const std::string& key, const std::vector<double>& values, bool vector) {
    if (vector)
      run_->set(key, values);
    else
      run_->set(key, values.at(0));
  }
  void set_bytes(const std::string& key, const std::string& bytes) {
    run_->set_bytes(key, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  }
  void set_words(const std::string& key, const std::string& value) { run_->set_words(key, value); }

  RunReport dispatch(const std::vector<std::uint32_t>& sizes, const std::vector<std::uint32_t>& local,
                     const std::vector<std::uint32_t>& offset, bool groups) {
    return finish([&] { return groups ? run_->dispatch_groups(sizes, local) : run_->dispatch(sizes, local, offset); });
  }
  RunReport draw(const py::dict& given);
  [[nodiscard]] bool ready() const { return !trace_; }
  RunReport again() {
    return finish([&] { return run_->again(); });
  }

  py::list lines() const {
    py::list list;
    for (const std::string& line : lines_) list.append(line);
    return list;
  }
  std::string listing() const { return trace_ ? trace_->listing() : std::string(); }
  PyImage texels(const std::string& name, std::uint32_t level, std::uint32_t slice) const {
    if (!trace_) throw Failure("the run was not traced");
    return PyImage(unwrap(trace_->texels(name, level, slice)));
  }

 private:
  void watch(const py::dict& what) {
    TraceOptions o;
    o.coverage = true;
    o.texels = member<bool>(what, "texels", kFlag);
    if (member<bool>(what, "lines", kFlag))
      o.write = [this](const std::string& line) {
        if (lines_.size() < most_lines_) lines_.push_back(line);
      };
    most_lines_ = member<std::size_t>(what, "most", kInteger);
    if (!what["group"].is_none()) o.group = member<std::array<std::uint32_t, 3>>(what, "group", "three integers");
    if (!what["thread"].is_none()) o.thread = member<std::uint32_t>(what, "thread", kInteger);
    if (!what["lane"].is_none()) o.lane = member<std::uint32_t>(what, "lane", kInteger);
    trace_.emplace(std::move(o));
    options_.trace = &*trace_;
  }
  /// Of any thread that works on the run.
  void show(double part) {
    const auto now = std::chrono::steady_clock::now();
    if (part < 1 && now - shown_ < std::chrono::milliseconds(50)) return;
    shown_ = now;
    const py::gil_scoped_acquire acquire;
    if (problem_) return;
    try {
      progress_(part);
    } catch (const py::error_already_set& problem) {
      problem_.emplace(problem);
      cancellation_.cancel();
    }
  }
  template <typename Work>
  RunReport finish(Work work) {
    Result<RunReport> result = Diagnostics();
    if (trace_) lines_.clear();
    {
      const py::gil_scoped_release release;
      const Interruptible interruptible(cancellation_);
      result = work();
    }
    if (problem_) {
      py::error_already_set problem = *problem_;
      problem_.reset();
      throw problem;
    }
    if (!result.ok() && PyErr_CheckSignals() != 0) throw py::error_already_set();
    return unwrap(std::move(result));
  }

  py::object progress_;
  RunOptions options_;
  Cancellation cancellation_;
  std::optional<Trace> trace_;
  std::vector<std::string> lines_;
  std::size_t most_lines_ = 0;
  std::optional<py::error_already_set> problem_;
  std::chrono::steady_clock::time_point shown_;
  std::optional<Run> run_;
};

std::map<std::string, PixelInput> inputs_of(const py::dict& given) {
  std::map<std::string, PixelInput> inputs;
  for (const auto& [key, value] : given) {
    const auto name = key.cast<std::string>();
    if (py::isinstance<py::str>(value)) {
      inputs.emplace(name, PixelInput(value.cast<std::string>()));
      continue;
    }
    const auto corners = value.cast<std::vector<std::vector<double>>>();
    if (corners.size() == 1)
      inputs.emplace(name, PixelInput(corners[0]));
    else if (corners.size() == 3)
      inputs.emplace(name, PixelInput(corners[0], corners[1], corners[2]));
    else
      throw Failure("input '" + name + "' takes an attribute, one value, or one at each of three corners");
  }
  return inputs;
}

Program program_of(const py::object& program, const std::string& name) {
  if (!py::isinstance<PyProgram>(program))
    throw py::type_error("'" + name + "' takes a heddle.Program, not " + py::repr(program).cast<std::string>());
  return program.cast<const PyProgram&>().program;
}

Topology topology_of(const std::string& word) {
  // In the order of the enumerators.
  static constexpr std::array<std::string_view, 10> kWords{"triangle_list",
                                                           "triangle_strip",
                                                           "triangle_fan",
                                                           "point_list",
                                                           "line_list",
                                                           "line_strip",
                                                           "line_list_adjacency",
                                                           "line_strip_adjacency",
                                                           "triangle_list_adjacency",
                                                           "triangle_strip_adjacency"};
  const auto found = std::ranges::find(kWords, word);
  if (found != kWords.end()) return static_cast<Topology>(found - kWords.begin());
  std::string all;
  for (const std::string_view known : kWords) all += " " + std::string(known);
  throw Failure("unknown topology '" + word + "'; one of:" + all);
}

RunReport PyRun::draw(const py::dict& given) {
  Drawing d;
  for (const auto& name : given["targets"].cast<std::vector<std::string>>()) d.targets.emplace_back(name);
  const auto has = [&](const char* name) { return given.contains(name) && !given[name].is_none(); };
  if (has("depth")) d.depth = Key(member<std::string>(given, "depth", kText));
  if (has("stencil")) d.stencil = Key(member<std::string>(given, "stencil", kText));
  if (has("output")) d.output = output_of(given["output"]);
  if (has("size")) d.size = member<std::array<std::uint32_t, 2>>(given, "size", "two integers from 0 on");
  if (has("samples")) d.samples = member<std::uint32_t>(given, "samples", kInteger);
  if (has("per_sample")) d.per_sample = member<bool>(given, "per_sample", kFlag);
  if (has("inputs")) d.inputs = inputs_of(given["inputs"]);
  if (has("mesh")) d.mesh = member<std::string>(given, "mesh", kText);
  if (has("cull")) {
    const auto word = member<std::string>(given, "cull", kText);
    if (word != "none" && word != "back" && word != "front")
      throw Failure("unknown cull '" + word + "'; one of: none back front");
    d.cull = word == "none" ? Cull::None : word == "back" ? Cull::Back : Cull::Front;
  }
  if (has("front_ccw")) d.front_ccw = member<bool>(given, "front_ccw", kFlag);
  if (has("viewport"))
    d.viewport =
        member<std::array<double, 6>>(given, "viewport", "six numbers: x, y, width, height, least and greatest depth");
  if (has("scissor"))
    d.scissor = member<std::array<std::int32_t, 4>>(given, "scissor", "four integers: x, y, width, height");
  if (has("vertex")) d.vertex = program_of(given["vertex"], "vertex");
  if (has("vertex_entry")) d.vertex_entry = member<std::string>(given, "vertex_entry", kText);
  if (has("geometry")) d.geometry = program_of(given["geometry"], "geometry");
  if (has("geometry_entry")) d.geometry_entry = member<std::string>(given, "geometry_entry", kText);
  if (has("tessellation_control"))
    d.tessellation_control = program_of(given["tessellation_control"], "tessellation_control");
  if (has("tessellation_evaluation"))
    d.tessellation_evaluation = program_of(given["tessellation_evaluation"], "tessellation_evaluation");
  if (has("patch_vertices")) d.patch_vertices = member<std::uint32_t>(given, "patch_vertices", kInteger);
  if (has("task_shader")) d.task_shader = program_of(given["task_shader"], "task_shader");
  if (has("mesh_shader")) d.mesh_shader = program_of(given["mesh_shader"], "mesh_shader");
  if (has("groups")) d.groups = member<std::vector<std::uint32_t>>(given, "groups", "one to three integers");
  if (has("vertices")) d.vertices = member<std::uint32_t>(given, "vertices", kInteger);
  if (has("instances")) d.instances = member<std::uint32_t>(given, "instances", kInteger);
  if (has("topology")) {
    const auto word = member<std::string>(given, "topology", kText);
    d.topology = topology_of(word);
  }
  if (has("vertex_inputs")) d.vertex_inputs = inputs_of(given["vertex_inputs"]);
  return finish([&] { return run_->draw(d); });
}

void add_report(py::module_& module) {
  py::class_<RunReport>(module, "Report", py::is_final(), no_constructor(), "What a run did.")
      .def_readonly("kernel", &RunReport::kernel)
      .def_readonly("platform", &RunReport::platform)
      .def_property_readonly(
          "engine", [](const RunReport& r) { return r.engine == Engine::Fast ? "fast" : "reference"; },
          "str: 'fast' or 'reference'")
      .def_readonly("why_reference", &RunReport::why_reference)
      .def_readonly("simd", &RunReport::simd, "int: lanes of a thread")
      .def_readonly("groups", &RunReport::groups, "int: thread groups; of a drawing, triangles that may be seen")
      .def_readonly("threads", &RunReport::threads, "int: hardware threads")
      .def_readonly("instructions", &RunReport::instructions, "int: executed")
      .def_readonly("texels_read", &RunReport::texels_read, "int or None: the reference engine counts")
      .def_readonly("texels_written", &RunReport::texels_written)
      .def_readonly("compile_seconds", &RunReport::compile_seconds)
      .def_readonly("run_seconds", &RunReport::run_seconds)
      .def_readonly("findings", &RunReport::findings, "dict: how often each check's id was found")
      .def_property_readonly(
          "diagnostics", [](const RunReport& r) { return to_list(r.diagnostics); }, "list of Diagnostic")
      .def("__repr__", [](const RunReport& r) {
        return "<heddle.Report " + r.kernel + ": " + std::to_string(r.instructions) + " instructions, " +
               (r.engine == Engine::Fast ? "fast" : "reference") + " engine, " + std::to_string(r.diagnostics.size()) +
               " diagnostics>";
      });
}

}  // namespace

void add_kernels(py::module_& module) {
  py::class_<PyBuffer>(module, "Buffer", py::buffer_protocol(), py::is_final(),
                       py::custom_type_setup(construct_by_new<PyBuffer, buffer_of>),
                       "Bytes that a program reads and writes.\n\nBuffer(source)\n\nParameters\n----------\n"
                       "source : int or buffer\n    So many zeros, or the bytes of a contiguous array, copied.\n\n"
                       "np.frombuffer(buffer, dtype) names the same bytes.")
      .def_buffer([](PyBuffer& b) {
        const std::span<std::uint8_t> bytes = b.buffer.bytes();
        return py::buffer_info(bytes.data(), 1, "B", 1, {static_cast<py::ssize_t>(bytes.size())}, {py::ssize_t{1}});
      })
      .def("__len__", [](const PyBuffer& b) { return b.buffer.bytes().size(); })
      .def("_take", [](const PyBuffer& b, const py::object& array) { exchange(b, array, false); })
      .def("_same", &same_bytes)
      .def("_give", [](const PyBuffer& b, const py::object& array) { exchange(b, array, true); })
      .def("__repr__",
           [](const PyBuffer& b) { return "<heddle.Buffer " + std::to_string(b.buffer.bytes().size()) + " bytes>"; });
  add_report(module);
  py::class_<PyRun>(module, "_Run", py::is_final(), no_constructor())
      .def_static("make", [](const PyProgram& program,
                             const py::dict& given) { return std::make_unique<PyRun>(program, given); })
      .def("bind_image", &PyRun::bind_image)
      .def("bind_buffer", &PyRun::bind_buffer)
      .def("bind_sampler", &PyRun::bind_sampler)
      .def("set_integers", &PyRun::set_integers)
      .def("set_reals", &PyRun::set_reals)
      .def("set_bytes", &PyRun::set_bytes)
      .def("set_words", &PyRun::set_words)
      .def("dispatch", &PyRun::dispatch)
      .def("draw", &PyRun::draw)
      .def("again", &PyRun::again)
      .def_property_readonly("ready", &PyRun::ready)
      .def("lines", &PyRun::lines)
      .def("listing", &PyRun::listing)
      .def("texels", &PyRun::texels);
}

}  // namespace heddle::python
