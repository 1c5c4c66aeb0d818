// heddle.Buffer, and the runs behind heddle.Kernel: heddle/_kernel.py gives them their arguments.

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
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
    options_.entry = given["entry"].cast<std::string>();
    options_.platform = given["platform"].cast<std::string>();
    const auto engine = given["engine"].cast<std::string>();
    if (engine != "auto" && engine != "reference" && engine != "fast")
      throw Failure("unknown engine '" + engine + "'; one of: auto reference fast");
    options_.engine = engine == "auto" ? Engine::Automatic : engine == "fast" ? Engine::Fast : Engine::Reference;
    const auto checks = given["checks"].cast<std::string>();
    if (checks == "off" || checks == "warn" || checks == "error")
      options_.check = checks == "off" ? Check::Off : checks == "warn" ? Check::Warn : Check::Error;
    else if (checks != "auto")
      throw Failure("unknown checks '" + checks + "'; one of: auto off warn error");
    if (!given["simd"].is_none()) options_.simd = given["simd"].cast<unsigned>();
    options_.threads = given["threads"].cast<unsigned>();
    options_.zeinfo = given["zeinfo"].cast<std::string>();
    if (!given["steps"].is_none()) options_.limits.steps = given["steps"].cast<std::uint64_t>();
    if (!given["seconds"].is_none()) options_.limits.seconds = given["seconds"].cast<double>();
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

  RunReport dispatch(const std::vector<std::uint32_t>& sizes, const std::vector<std::uint32_t>& local,
                     const std::vector<std::uint32_t>& offset, bool groups) {
    return finish([&] { return groups ? run_->dispatch_groups(sizes, local) : run_->dispatch(sizes, local, offset); });
  }
  RunReport draw(const py::dict& given);

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
    o.texels = what["texels"].cast<bool>();
    if (what["lines"].cast<bool>())
      o.write = [this](const std::string& line) {
        if (lines_.size() < most_lines_) lines_.push_back(line);
      };
    most_lines_ = what["most"].cast<std::size_t>();
    if (!what["group"].is_none()) o.group = what["group"].cast<std::array<std::uint32_t, 3>>();
    if (!what["thread"].is_none()) o.thread = what["thread"].cast<std::uint32_t>();
    if (!what["lane"].is_none()) o.lane = what["lane"].cast<std::uint32_t>();
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

RunReport PyRun::draw(const py::dict& given) {
  Drawing d;
  for (const auto& name : given["targets"].cast<std::vector<std::string>>()) d.targets.emplace_back(name);
  const auto has = [&](const char* name) { return given.contains(name) && !given[name].is_none(); };
  if (has("depth")) d.depth = Key(given["depth"].cast<std::string>());
  if (has("stencil")) d.stencil = Key(given["stencil"].cast<std::string>());
  if (has("output")) d.output = output_of(given["output"]);
  if (has("size")) d.size = given["size"].cast<std::array<std::uint32_t, 2>>();
  if (has("samples")) d.samples = given["samples"].cast<std::uint32_t>();
  if (has("per_sample")) d.per_sample = given["per_sample"].cast<bool>();
  if (has("inputs")) d.inputs = inputs_of(given["inputs"]);
  if (has("mesh")) d.mesh = given["mesh"].cast<std::string>();
  if (has("cull")) {
    const auto word = given["cull"].cast<std::string>();
    if (word != "none" && word != "back" && word != "front")
      throw Failure("unknown cull '" + word + "'; one of: none back front");
    d.cull = word == "none" ? Cull::None : word == "back" ? Cull::Back : Cull::Front;
  }
  if (has("front_ccw")) d.front_ccw = given["front_ccw"].cast<bool>();
  if (has("viewport")) d.viewport = given["viewport"].cast<std::array<double, 6>>();
  if (has("scissor")) d.scissor = given["scissor"].cast<std::array<std::int32_t, 4>>();
  if (has("vertex")) d.vertex = given["vertex"].cast<const PyProgram&>().program;
  if (has("vertex_entry")) d.vertex_entry = given["vertex_entry"].cast<std::string>();
  if (has("vertices")) d.vertices = given["vertices"].cast<std::uint32_t>();
  if (has("instances")) d.instances = given["instances"].cast<std::uint32_t>();
  if (has("topology")) {
    const auto word = given["topology"].cast<std::string>();
    if (word == "triangle_strip")
      d.topology = Topology::TriangleStrip;
    else if (word == "triangle_fan")
      d.topology = Topology::TriangleFan;
    else if (word != "triangle_list")
      throw Failure("unknown topology '" + word + "'; one of: triangle_list triangle_strip triangle_fan");
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
      .def_readonly("groups", &RunReport::groups, "int: thread groups; of a drawing, triangles")
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
      .def("dispatch", &PyRun::dispatch)
      .def("draw", &PyRun::draw)
      .def("lines", &PyRun::lines)
      .def("listing", &PyRun::listing)
      .def("texels", &PyRun::texels);
}

}  // namespace heddle::python
