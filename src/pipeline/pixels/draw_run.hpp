// SPDX-License-Identifier: MIT
#pragma once
// A draw's primitives become pixels: on one thread in order, on several range by range, each bin of the target in the
// primitives' order.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "pipeline/pixels/worker.hpp"
#include "pipeline/primitives/mesh_pieces.hpp"
#include "pipeline/tiles/draw_order.hpp"

namespace heddle::pipeline {

/// A part of a draw's primitives, which one worker sets up.
struct DrawRange {
  /// What of it enters the order at once: primitives that are not large, or one that is; or one that is drawn when all
  /// before it are, in rows of tiles whose threads go on in the next row.
  struct Step : Stretch {
    DrawRange* range = nullptr;
    bool is_offered = false;  ///< stands among those with ready parts
    bool is_large = false;
    std::uint32_t primitive = 0;             ///< of a large one
    std::uint32_t rows = 0, rows_drawn = 0;  ///< of tiles; 0: it is drawn by its parts
    std::vector<std::uint32_t> taken;        ///< subspans_taken()
  };

  std::size_t place = 0;            ///< among those that are there at once, always the same
  std::size_t first = 0, last = 0;  ///< of the mesh's primitives
  Mesh piece;                       ///< its own mesh, where that is made in pieces
  PrimitiveList list;
  std::deque<Step> steps;  ///< of which the first `count` are used
  std::size_t count = 0, entered = 0, drawn = 0;
  std::uint64_t parts = 0;   ///< bins and rows of all steps
  std::uint32_t number = 0;  ///< of the list's first primitive in the draw
  unsigned maker = 0;        ///< the worker that set it up
  bool is_made = false, is_counted = false;

  /// One more step.
  Step& add_step();
};

/// What draws leave to the next.
struct DrawWorkspace {
  /// What a worker keeps beside its threads.
  struct Hand {
    KnownVertices known;
    Stretch::Places places;
    std::unique_ptr<SetUp> set_up;
    std::vector<std::uint32_t> parts;
    std::uint64_t clipped = 0;
  };
  std::vector<std::unique_ptr<PixelWorker>> workers;
  std::vector<Hand> hands;
  std::vector<std::unique_ptr<DrawRange>> ranges;
  std::vector<DrawRange*> free, waiting;  ///< those that no primitives are in; by order, those that have begun
  DrawOrder order;
  KnownVertices known;  ///< of the mesh, for all workers
  PrimitiveList list;   ///< of one worker
};

/// Whether threads may be made and left out as the pipeline likes: nobody sees them but by the pixels that they write.
[[nodiscard]] bool is_free(const PixelPlan& plan, bool order_shows, const RasterState& raster,
                           const RunContext& context);

class DrawRun {
 public:
  DrawRun(const PixelShared& shared, const Draw& draw, const RasterState& raster, RunContext& context,
          DrawWorkspace& workspace);
  /// The draw's mesh, or what `pieces` make. False when the draw has to stop.
  bool run(MeshPieces* pieces, Counters& counters);

 private:
  using Range = DrawRange;
  using Step = DrawRange::Step;
  /// What a worker does next.
  struct Task {
    Range* range = nullptr;  ///< is made, or
    Step* step = nullptr;    ///< parts of it are drawn, those of Hand::parts, or
    std::uint32_t row = 0;   ///< a row of it
    [[nodiscard]] bool any() const { return range != nullptr || step != nullptr; }
  };

  PixelWorker& worker(unsigned index, const PrimitiveList& list, std::uint32_t first);
  void tell(double done) const;
  bool run_in_order();
  bool run_pieces_in_order();
  bool run_list(PixelWorker& w, const PrimitiveList& list);
  [[nodiscard]] bool runs_in_rows(const Primitive& p) const;
  [[nodiscard]] bool runs_tiny(const PixelWorker& w) const;
  bool run_small(PixelWorker& w, const Primitive& p, std::uint32_t index, const Bounds<std::int32_t>& part);
  bool run_alone(PixelWorker& w, const Primitive& p, std::uint32_t index);

  void begin_places();
  bool make_piece(Range& range, unsigned number);
  [[nodiscard]] bool is_little(const PrimitiveList& list) const;
  bool run_together();
  void know_vertices();
  SetUp& set_up_of(unsigned number);
  unsigned begin_few();
  void work(unsigned number);
  void stop();
  void wake();
  void wait(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] bool may_begin_range() const;
  [[nodiscard]] bool has_begun_all() const;
  [[nodiscard]] bool has_task() const;
  [[nodiscard]] Task pick(unsigned number);
  [[nodiscard]] Range* begin_range(unsigned number);
  [[nodiscard]] Range*& at(std::size_t range) const { return workspace_.waiting[range % places_]; }
  [[nodiscard]] bool run(const Task& task, unsigned number);
  bool make(Range& range, unsigned number);
  void divide(Range& range, Stretch::Places& places) const;
  void add_large(Range& range, std::uint32_t index, const Primitive& p) const;
  [[nodiscard]] std::size_t columns() const;
  [[nodiscard]] std::uint32_t bin_at(std::int32_t x, std::int32_t y) const;
  void add_to_bins(Step& step, Stretch::Places& places, std::uint32_t index, const Primitive& p) const;
  bool run_parts(const Step& step, unsigned number);
  bool run_wide_parts(const Step& step, unsigned number);
  bool run_row(const Step& step, std::uint32_t row, unsigned number);
  void finish(const Task& task, unsigned number);
  void offer(Step& step);
  void draw_parts(Range& range, std::uint64_t count);
  void close(Step& step);
  void enter_steps();

  const PixelShared& shared_;
  const PixelPlan& plan_;
  const Mesh& mesh_;
  const RasterState& raster_;
  RunContext& context_;
  DrawWorkspace& workspace_;
  const bool joins_;
  const bool tiny_;      ///< tiny primitives run as such
  const bool free_;      ///< nobody sees which threads there are
  const bool in_order_;  ///< set-up of a primitive needs what that of the one before it left
  std::function<void(double)> progress_;
  double done_ = 0, share_ = 0;  ///< of the mesh's primitives: those that are drawn, a primitive's part
  Counters* counters_ = nullptr;
  std::uint32_t primitives_ = 0;  ///< that were drawn, or wait for it in their order

  // Of several workers, under `mutex_`:
  std::mutex mutex_;
  std::condition_variable idle_;
  std::atomic<std::uint32_t> changes_{0};  ///< there may be something to do, or nothing is left
  unsigned sleeping_ = 0, making_ = 0;
  std::atomic<unsigned> working_ = 0;
  std::atomic<bool> crowded_ = false;  ///< workers wait for the lock more than they draw
  bool good_ = true, stopped_ = false;
  MeshPieces* pieces_ = nullptr;
  std::size_t places_ = 0;                ///< ranges that are there at once
  std::size_t range_size_ = 0, end_ = 0;  ///< of the mesh: where the next range begins
  bool all_begun_ = false;
  std::uint64_t cost_at_once_ = 0;
  std::size_t begun_ = 0, entered_ = 0;  ///< ranges, and those whose steps have all entered, in order
  std::size_t waiting_ = 0;              ///< parts that have entered and are not in work
  std::size_t open_ = 0;                 ///< steps that have entered and are not drawn
  std::vector<Step*> ready_;             ///< with ready parts
  Step* large_ = nullptr;                ///< which is drawn in rows
  std::uint32_t next_row_ = 0;           ///< of it
};

}  // namespace heddle::pipeline
