// SPDX-License-Identifier: MIT
#pragma once
// The mesh that is rasterized, of a stage's primitives: all of it, or in pieces that those make who draw them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/primitives/mesh_pieces.hpp"
#include "pipeline/primitives/records.hpp"
#include "pipeline/run_context.hpp"

namespace heddle::pipeline {

/// `layout`: of the records; `from`: where each attribute of the mesh lies; of `state` the topology does not count.
void make_mesh(const PrimitiveStream& stream, const RecordLayout& layout, std::span<const RecordComponent> from,
               const PrimitiveState& state, Mesh& mesh, RunContext& context);

/// The same for the fast engine, where nobody checks or looks on. What it is given outlives it.
class StreamPieces final : public MeshPieces {
 public:
  /// What streams leave to the next.
  struct Workspace {
    struct Piece {
      std::size_t first = 0;     ///< primitive
      std::uint32_t number = 0;  ///< no other piece has it
    };
    std::vector<Piece> pieces;  ///< by place
    std::uint32_t count = 0;
    /// What a worker knows of the vertices of a piece.
    struct Hand {
      std::vector<std::uint32_t> at;      ///< corners, as numbers in the piece
      std::vector<std::uint32_t> places;  ///< records of its vertices
      struct Known {
        std::uint32_t piece = 0, number = 0;
      };
      std::vector<Known> known;  ///< by the stream's numbers
    };
    std::vector<Hand> hands;
  };

  /// Whether there are more pieces than a few, and several workers.
  [[nodiscard]] static bool divides(const PrimitiveStream& stream, const RunContext& context);
  StreamPieces(const PrimitiveStream& stream, const RecordLayout& layout, std::span<const RecordComponent> from,
               const PrimitiveState& state, const RunContext& context, Workspace& workspace);

  [[nodiscard]] std::size_t places() const override { return workspace_.pieces.size(); }
  bool next(std::size_t place) override;
  [[nodiscard]] double part() const override;
  bool make(unsigned worker, std::size_t place, Mesh& mesh) override;
  [[nodiscard]] bool failed() const override { return false; }

 private:
  void find_vertices(std::span<const std::uint32_t> at, std::uint32_t piece, Workspace::Hand& hand) const;

  const PrimitiveStream& stream_;
  const RecordLayout& layout_;
  const std::span<const RecordComponent> from_;
  const PrimitiveState& state_;
  const RunContext& context_;
  Workspace& workspace_;
  std::size_t begun_ = 0;  ///< primitives
};

}  // namespace heddle::pipeline
