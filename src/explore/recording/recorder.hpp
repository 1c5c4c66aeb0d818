// SPDX-License-Identifier: MIT
#pragma once
// Watches a run of the reference engine: what became of each pixel, and whole traces of the threads that are chosen.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "explore/documents/program_view.hpp"
#include "explore/recording/failed_test.hpp"
#include "explore/recording/texel_steps.hpp"
#include "isa/shader_stage.hpp"
#include "machine/observer.hpp"
#include "machine/thread.hpp"
#include "pipeline/pixels/pixel_watch.hpp"

namespace heddle::explore {

/// Of fragments that no thread ran for.
inline constexpr std::uint32_t kNoThread = ~0u;
/// Of corners whose invocation is not known.
inline constexpr std::uint32_t kNoInvocation = ~0u;

/// What became of a fragment at one sample of a target.
enum class Fate : std::uint8_t {
  Written = 0,
  Failed = 1,     ///< a test kept it away: alpha, depth bounds, stencil or depth
  Discarded = 2,  ///< the shader ended it
  Early = 3,      ///< an early test kept it away: no thread ran for it
  Passed = 4,     ///< it passed the tests, and there is nothing that it would be stored in
};

/// One step of a pixel's history.
struct Fragment {
  std::uint32_t x = 0, y = 0;
  std::uint32_t thread = 0;     ///< number of its hardware thread, in the order of starts
  std::uint32_t primitive = 0;  ///< of the draw's mesh; compute: 0
  std::uint32_t target = 0;     ///< number of the surface
  std::uint32_t sample = 0;     ///< or the layer of a storage image
  std::uint32_t lane = 0;
  Fate fate = Fate::Written;
  Reason reason = Reason::None;                    ///< of Failed and Early
  std::uint32_t instruction = 0;                   ///< that wrote it, or that ended the lane
  std::uint32_t depth = 0;                         ///< binary32: as it was interpolated
  std::uint32_t stored = 0;                        ///< binary32: the depth that a test compared it with
  std::array<std::uint32_t, 4> color{};            ///< as the shader sent it
  std::array<std::uint32_t, 4> before{}, after{};  ///< of the target
};

/// One instruction of a traced thread.
struct TraceStep {
  std::uint32_t instruction = 0, object = 0, lanes = 0;
  struct Run {
    std::uint32_t at = 0;
    std::vector<std::uint8_t> bytes;
  };
  std::vector<Run> writes;  ///< of the register file
  std::vector<std::array<std::uint32_t, 2>> predicates;
  std::string texels;  ///< JSON; of messages to the texture unit
};

struct ThreadTrace {
  std::optional<isa::ShaderStage> stage;  ///< of those before the pixels
  std::uint32_t thread = 0, mask = 0, helpers = 0;
  std::array<std::uint32_t, 3> group{};
  std::uint32_t in_group = 0;
  std::vector<std::array<std::uint32_t, 3>> places;  ///< of each lane: its pixel, or its global id
  bool pixels = false;
  std::vector<TraceStep::Run> start;  ///< what was written before the first instruction
  std::vector<TraceStep> steps;
};

/// A thread of a run: its number in the order of starts, counted for each stage.
struct ThreadName {
  std::optional<isa::ShaderStage> stage;  ///< of those before the pixels
  std::uint32_t number = 0;
};
/// Lanes of a thread that are to be traced; 0: none, the thread is passed over.
using Choice = std::function<std::uint32_t(const machine::Thread& thread, const ThreadName& name)>;

/// What a run runs.
struct WatchedPrograms {
  const isa::Program* main = nullptr;             ///< of the pixels, or of the grid
  isa::PerStage<const isa::Program*> front = {};  ///< stages before the pixels
};

/// Where a lane of a thread is: its pixel, or the global id of its invocation; of vertices and what is made of
/// primitives its number in the piece of the draw.
[[nodiscard]] std::array<std::uint32_t, 3> place_of(const machine::Thread& thread, std::uint32_t lane);

/// A primitive of a draw, in window coordinates; of a clipped one its first piece.
struct DrawnPrimitive {
  std::array<std::uint32_t, 3> vertices{};
  std::array<std::int32_t, 3> x{}, y{};  ///< 1/256 pixel
  std::array<float, 3> z{};
  bool front = true;
  /// What made each corner, of the last stage before the pixels: 32 times the thread's number, and the lane.
  std::array<std::uint32_t, 3> made_by{kNoInvocation, kNoInvocation, kNoInvocation};
};

class Recorder final : public machine::Observer, public pipeline::PixelWatch {
 public:
  /// `fragments`: the history is wanted.
  Recorder(const WatchedPrograms& programs, Choice choice, SurfaceNumber number, bool fragments);

  void instruction(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes) override;
  void texel(const texture::TexelTouch& touch) override;
  void raw_result(const machine::Thread& thread, const machine::Decoded& d, const machine::Operand& operand,
                  std::uint32_t at, std::uint32_t size) override;
  void memory(const machine::Thread& thread, const machine::Decoded& d, const machine::MemoryAccess& access) override;
  [[nodiscard]] bool wants_raw_results() const override { return true; }
  void mesh(const pipeline::Mesh& mesh) override;
  void primitive(std::uint32_t number, const pipeline::Primitive& primitive,
                 const std::array<std::uint32_t, 3>& vertices) override;
  void tested(const machine::PixelState& state, const machine::PixelInput& input, std::span<const std::uint16_t> before,
              std::span<const std::uint8_t> payload) override;
  /// After the run: threads that nothing follows.
  void finish();

  [[nodiscard]] std::vector<Fragment>& fragments() { return fragments_; }
  [[nodiscard]] std::vector<ThreadTrace>& traces() { return traces_; }
  [[nodiscard]] const std::map<std::uint32_t, DrawnPrimitive>& primitives() const { return primitives_; }
  /// Of the draw; nothing where no pixel ran.
  [[nodiscard]] const std::optional<image::OutputState>& output_state() const { return output_; }
  /// How many threads have run.
  [[nodiscard]] std::uint32_t threads() const { return watched_.front().threads; }
  [[nodiscard]] std::uint32_t threads(isa::ShaderStage stage) const;
  /// The stage whose invocations `made_by` names: the last one before the pixels.
  [[nodiscard]] std::optional<isa::ShaderStage> last_stage() const { return watched_.back().stage; }
  [[nodiscard]] std::uint64_t texels_read() const { return texels_read_; }

 private:
  struct Watched {
    Watched(const isa::Program& p, std::optional<isa::ShaderStage> s) : program(&p), stage(s), numbers(p) {}
    const isa::Program* program;
    std::optional<isa::ShaderStage> stage;
    InstructionNumbers numbers;
    std::uint32_t threads = 0;  ///< that have started
  };
  /// A thread that runs.
  struct Running {
    std::uint32_t number = 0;
    std::uint32_t wanted = 0;
    std::int64_t trace = -1;  ///< index in traces_
    std::vector<std::uint8_t> before;
    const machine::PreparedObject* object = nullptr;
    std::vector<std::uint32_t> predicates;
    // Of pixels: lanes that have not come to a target yet, and where each was last.
    std::uint32_t open = 0, active = 0, demoted = 0;
    std::uint32_t last_instruction = 0;
    std::array<std::uint32_t, 32> last{};
    std::array<std::array<std::uint32_t, 2>, 32> pixel{};
    std::array<std::uint32_t, 32> depth{};
    std::uint32_t primitive = 0;
  };
  struct Touched {
    texture::TexelTouch at;
    image::Texel before;
  };
  Running& running(const machine::Thread& thread, Watched& of);
  void begin(const machine::Thread& thread, Watched& of, Running& r);
  [[nodiscard]] Watched* watched(const isa::Program* program);
  [[nodiscard]] std::uint32_t made_by(std::uint32_t vertex) const;
  void note_records(const Running& r);
  /// A write of the last stage before the pixels.
  struct Recorded {
    const image::Surface* surface;
    std::uint64_t address;
    std::uint32_t bytes, lane;
  };
  [[nodiscard]] static Fragment fragment_of(const Running& r, std::uint32_t lane, Fate fate, std::uint32_t instruction);
  void end(Running& r);
  void follow_lanes(const machine::Thread& thread, std::uint32_t number, std::uint32_t lanes, Running& r);
  void add_fragments(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t number,
                     std::uint32_t lanes, Running& r);
  void add_failed(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t number, std::uint32_t lanes,
                  Running& r);
  void add_step(const machine::Thread& thread, const machine::Decoded& d, const Watched& of, std::uint32_t number,
                std::uint32_t lanes, Running& r);
  void add_writes(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes, Running& r,
                  TraceStep& step);

  std::vector<Watched> watched_;  ///< the main one first
  Choice choice_;
  SurfaceNumber surface_number_;
  bool wants_fragments_;
  std::unordered_map<const machine::Thread*, Running> running_;
  std::vector<Touched> touched_;                   ///< by the instruction that runs
  std::vector<std::array<std::uint32_t, 2>> raw_;  ///< bytes that it wrote: [from, count]
  std::vector<Recorded> recorded_;                 ///< and in the records of the last stage before the pixels
  /// Of each surface of records the invocation that wrote each dword last, for the mesh that is made or drawn.
  std::unordered_map<const image::Surface*, std::vector<std::uint32_t>> writers_;
  bool writers_used_ = false;              ///< by a mesh that is drawn: what is written now is of the next one
  const pipeline::Mesh* mesh_ = nullptr;   ///< whose primitives are drawn
  std::uint32_t drawn_ = 0, in_mesh_ = 0;  ///< primitives of the meshes before it, and of it
  std::vector<Fragment> fragments_;
  std::vector<ThreadTrace> traces_;
  std::map<std::uint32_t, DrawnPrimitive> primitives_;  ///< by their number in the draw
  std::optional<image::OutputState> output_;
  std::array<std::uint32_t, 2> primitive_{};  ///< the last one: its threads' number, and the mesh's
  bool tested_early_ = false;                 ///< what comes to a target has passed its tests
  std::uint64_t texels_read_ = 0;
};

}  // namespace heddle::explore
