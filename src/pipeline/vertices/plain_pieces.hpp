// SPDX-License-Identifier: MIT
#pragma once
// Lists without indices, in pieces that any worker makes: nobody shares their vertices. Each becomes a mesh, or a part
// of a stream.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/primitives/mesh_pieces.hpp"
#include "pipeline/primitives/stream.hpp"
#include "pipeline/vertices/vertex_list.hpp"
#include "pipeline/vertices/vertex_worker.hpp"

namespace heddle::pipeline {

class PlainPieces final : public MeshPieces {
 public:
  /// Whether a draw, with those that run together with it, consists of whole primitives of a plain list.
  [[nodiscard]] static bool divides(const VertexDraw& draw);

  /// Primitives one after another of one instance of one draw.
  struct Run {
    std::uint32_t vertex = 0, instance = 0;  ///< the first one's
    std::uint32_t number = 0, primitives = 0;
  };
  /// What draws leave to the next.
  struct Workspace {
    std::vector<std::vector<Run>> pieces;  ///< by place
    /// Of a worker.
    struct Lists {
      std::vector<ShadedVertex> vertices;
      std::vector<ListedPrimitive> primitives;
    };
    std::vector<Lists> lists;
    std::vector<std::uint32_t> corners;  ///< of a stream
    std::vector<PrimitiveTag> tags;
    machine::SurfaceResource records;
  };

  /// `workers` are made by `shared`; they run `kernel`, which writes to the workspace's records. Everything must
  /// outlive it.
  PlainPieces(const VertexShared& shared, const engine::jit::BoundKernel* kernel, const VertexDraw& draw,
              const Bound& bound, std::span<const RecordComponent> from, std::size_t places, Workspace& workspace,
              std::vector<std::unique_ptr<VertexWorker>>& workers, RunContext& context);
  /// So many are there at once where each worker draws what it makes; in a stream.
  [[nodiscard]] static std::size_t places_of(unsigned workers) { return 2 * std::size_t{workers} + 2; }
  [[nodiscard]] static std::size_t places_of_stream(const VertexDraw& draw);
  /// Records of as many pieces.
  [[nodiscard]] static std::size_t records(const VertexDraw& draw, std::size_t places);
  /// What pieces have had since the last call.
  void count(Counters& counters);
  /// Behind the last piece.
  void end(Counters& counters);

  [[nodiscard]] std::size_t places() const override { return places_; }
  bool next(std::size_t place) override;
  bool make(unsigned worker, std::size_t place, Mesh& mesh) override;
  /// The next pieces, one at each place, as one stream, which holds until the next one is made. Nothing where there are
  /// none, or when the draw has to stop.
  [[nodiscard]] std::optional<PrimitiveStream> make_stream();
  [[nodiscard]] double part() const override;
  [[nodiscard]] bool failed() const override { return failed_; }

 private:
  bool begin_draw();
  bool run(unsigned worker, std::size_t place, const Workspace::Lists& lists);
  void list(std::size_t place, Workspace::Lists& lists) const;

  const VertexShared& shared_;
  const engine::jit::BoundKernel* kernel_;
  const VertexDraw& draw_;
  const Bound& bound_;
  const std::span<const RecordComponent> from_;
  Workspace& workspace_;
  std::vector<std::unique_ptr<VertexWorker>>& workers_;
  RunContext& context_;
  const std::uint32_t corners_;
  const std::size_t places_;
  std::atomic<bool> failed_{false};
  // What next() comes to:
  VertexRange range_;
  std::size_t others_ = 0;
  std::uint32_t instance_ = 0, number_ = 0;
  std::uint64_t primitives_ = 0, counted_ = 0;  ///< so far
};

}  // namespace heddle::pipeline
