// SPDX-License-Identifier: MIT
// GLSL.std.450: geometry, determinants and inverses, interpolation elsewhere in the pixel.

#include <fmt/format.h>

#include <spirv/unified1/GLSL.std.450.h>
#include <array>
#include <optional>

#include <spirv/unified1/spirv.hpp>

#include "render_target/render_target.hpp"
#include "spirv/compile/arithmetic/derivative.hpp"
#include "spirv/compile/glsl/glsl.hpp"
#include "spirv/compile/stages/stage.hpp"

namespace heddle::spirv::compiler {

using isa::Type;

Real dot(const std::vector<Real>& x, const std::vector<Real>& y) {
  Real sum = x[0] * y[0];
  for (std::size_t k = 1; k < x.size(); ++k) sum = sum + x[k] * y[k];
  return sum;
}

namespace {

using Vector = std::vector<Real>;

Vector scaled(const Vector& v, const Real& factor) {
  Vector r;
  for (const Real& x : v) r.push_back(x * factor);
  return r;
}

Real inverse(const Real& x) { return x.apply("inv"); }

Real length(const Vector& v) { return v.size() == 1 ? abs(v[0]) : square_root(dot(v, v)); }

Vector normalized(const Vector& v) {
  const Real square = dot(v, v);
  return scaled(v, square.type() == Type::DF ? inverse(square_root(square)) : square.apply("rsqrt"));
}

Vector cross(const Vector& x, const Vector& y) {
  Vector r;
  for (unsigned k = 0; k < 3; ++k) {
    const unsigned i = (k + 1) % 3, j = (k + 2) % 3;
    r.push_back(x[i] * y[j] - x[j] * y[i]);
  }
  return r;
}

Vector reflected(const Vector& incident, const Vector& normal) {
  const Real twice = dot(normal, incident) * 2.0;
  Vector r;
  for (std::size_t k = 0; k < incident.size(); ++k) r.push_back(incident[k] - twice * normal[k]);
  return r;
}

Vector refracted(const Vector& incident, const Vector& normal, const Real& eta) {
  const Real d = dot(normal, incident);
  const Real k = 1 - eta * eta * (1 - d * d);
  const Part none = compare(k, "lt", 0);
  const Real root = square_root(max(k, k.number(0)));
  const Real along = eta * d + root;
  Vector r;
  for (std::size_t i = 0; i < incident.size(); ++i)
    r.push_back(choose(none, k.number(0), eta * incident[i] - along * normal[i]));
  return r;
}

/// A square matrix, columns one after the other.
struct Matrix {
  const Vector& v;
  unsigned n;
  [[nodiscard]] const Real& at(unsigned column, unsigned row) const { return v[column * n + row]; }
};

Real minor2(const Matrix& m, unsigned c0, unsigned c1, unsigned r0, unsigned r1) {
  return m.at(c0, r0) * m.at(c1, r1) - m.at(c1, r0) * m.at(c0, r1);
}

/// Determinant without one column and row of a 3 x 3 or 4 x 4 matrix.
Real minor(const Matrix& m, unsigned column, unsigned row) {
  unsigned c[3], r[3];
  for (unsigned k = 0, i = 0, j = 0; k < m.n; ++k) {
    if (k != column) c[i++] = k;
    if (k != row) r[j++] = k;
  }
  if (m.n == 3) return minor2(m, c[0], c[1], r[0], r[1]);
  const Real first = m.at(c[0], r[0]) * minor2(m, c[1], c[2], r[1], r[2]);
  const Real second = m.at(c[1], r[0]) * minor2(m, c[0], c[2], r[1], r[2]);
  const Real third = m.at(c[2], r[0]) * minor2(m, c[0], c[1], r[1], r[2]);
  return first - second + third;
}

Vector cofactors(const Matrix& m) {
  if (m.n == 2) return {m.at(1, 1), -m.at(1, 0), -m.at(0, 1), m.at(0, 0)};
  Vector list;
  for (unsigned column = 0; column < m.n; ++column)
    for (unsigned row = 0; row < m.n; ++row) {
      const Real value = minor(m, column, row);
      list.push_back((column + row) % 2 == 0 ? value : -value);
    }
  return list;
}

Real determinant(const Matrix& m) {
  if (m.n == 2) return minor2(m, 0, 1, 0, 1);
  Real sum = m.at(0, 0) * minor(m, 0, 0);
  for (unsigned row = 1; row < m.n; ++row) {
    const Real term = m.at(0, row) * minor(m, 0, row);
    sum = row % 2 == 0 ? sum + term : sum - term;
  }
  return sum;
}

Vector inverted_matrix(const Matrix& m) {
  const Vector c = cofactors(m);
  Real whole = m.at(0, 0) * c[0];
  for (unsigned row = 1; row < m.n; ++row) whole = whole + m.at(0, row) * c[row];
  const Real factor = inverse(whole);
  Vector r;
  for (unsigned column = 0; column < m.n; ++column)
    for (unsigned row = 0; row < m.n; ++row) r.push_back(c[row * m.n + column] * factor);
  return r;
}

unsigned rank_of(std::size_t scalars) { return scalars == 16 ? 4 : scalars == 9 ? 3 : 2; }

}  // namespace

bool glsl_vector(ShaderContext& t) {
  const std::uint32_t number = extended_number(t);
  const Type type = result_scalar(t);
  const bool known = number == GLSLstd450Determinant || number == GLSLstd450MatrixInverse ||
                     (number >= GLSLstd450Length && number <= GLSLstd450Refract);
  if (!known) return false;
  if (!has_double(t, type)) return true;
  // HF is computed in F: sums of squares leave its range early.
  const Type computed = type == Type::HF ? Type::F : type;
  const auto operand = [&](unsigned k) {
    Vector v;
    for (const Part& p : parts_of(t, extended_operand(t, k))) v.push_back(Real(t.b, p).in(computed));
    return v;
  };
  Vector r;
  const Vector x = operand(0);
  switch (number) {
    case GLSLstd450Determinant:
      r = {determinant({x, rank_of(x.size())})};
      break;
    case GLSLstd450MatrixInverse:
      r = inverted_matrix({x, rank_of(x.size())});
      break;
    case GLSLstd450Length:
      r = {length(x)};
      break;
    case GLSLstd450Distance: {
      const Vector y = operand(1);
      Vector d;
      for (std::size_t k = 0; k < x.size(); ++k) d.push_back(x[k] - y[k]);
      r = {length(d)};
      break;
    }
    case GLSLstd450Cross:
      r = cross(x, operand(1));
      break;
    case GLSLstd450Normalize:
      r = normalized(x);
      break;
    case GLSLstd450FaceForward: {
      const Part facing = compare(dot(operand(2), operand(1)), "lt", 0);
      for (const Real& c : x) r.push_back(choose(facing, c, -c));
      break;
    }
    case GLSLstd450Reflect:
      r = reflected(x, operand(1));
      break;
    default:
      r = refracted(x, operand(1), operand(2).front());
      break;
  }
  each_scalar(t, [&](unsigned i) {
    const Part dst = t.result(type, i);
    t.b.move(dst, r[i].in(type).part());
    return dst;
  });
  return true;
}

namespace {

/// Which scalars of the variable the pointee may be: of an element chosen at run time, those of all elements.
std::vector<bool> needed_scalars(const Pointer& pointer, std::size_t count) {
  std::vector<bool> needed(pointer.storage->size());
  const auto need = [&](std::size_t first) {
    for (std::size_t k = first; k < first + count && k < needed.size(); ++k) needed[k] = true;
  };
  if (pointer.dynamic_offsets.empty()) need(pointer.first);
  for (const std::uint32_t offset : pointer.dynamic_offsets) need(pointer.first + offset);
  return needed;
}

bool is_built_in(ShaderContext& t, std::uint32_t variable, spv::BuiltIn wanted) {
  const auto words = t.annotations.decoration(variable, spv::DecorationBuiltIn);
  return words && !words->empty() && words->front() == static_cast<std::uint32_t>(wanted);
}

/// The weights of the vertices where the pixel is covered, or in its middle (PIX-20).
std::vector<Part> weights_at(ShaderContext& t, std::uint32_t variable, bool linear, bool centroid) {
  std::vector<Part> weights;
  for (const char axis : {'x', 'y', 'z'})
    weights.push_back(t.inputs.keep(
        t.fragment.elsewhere[{variable, weights.size(), centroid}], Type::F, fmt::format("weight_{}", axis),
        fmt::format("barycentric{}{}.{}", linear ? "_linear" : "", centroid ? "_centroid" : "", axis)));
  return weights;
}

/// The scalars of an input where it is covered, or in the middle of the pixel: inputs of their own, but for those that
/// are not needed. Empty when there are none like that.
std::vector<Part> inputs_at(ShaderContext& t, const Pointer& pointer, const std::vector<bool>& needed, bool centroid) {
  const bool linear = is_built_in(t, pointer.root, spv::BuiltInBaryCoordNoPerspKHR);
  if (linear || is_built_in(t, pointer.root, spv::BuiltInBaryCoordKHR))
    return weights_at(t, pointer.root, linear, centroid);
  std::vector<Part> scalars;
  for (const InterfaceVariable& v : interface_variables(t, spv::StorageClassInput)) {
    if (v.variable != pointer.root || v.builtin) continue;
    const std::string_view qualifier = v.qualifier.starts_with("linear") ? centroid ? "linear_centroid" : "linear"
                                       : v.qualifier == "flat"           ? "flat"
                                       : centroid                        ? "centroid"
                                                                         : "smooth";
    for (const InterfaceScalar& s : interface_scalars(t, v)) {
      InterfaceScalar scalar = s;
      scalar.qualifier = qualifier;
      const bool here = scalars.size() < needed.size() && needed[scalars.size()];
      std::optional<Part>& kept = t.fragment.elsewhere[{v.variable, scalars.size(), centroid}];
      if (here && !kept) kept = declare_input(t, v, scalar, false);
      scalars.push_back(here ? *kept : Part{});
    }
  }
  if (scalars.size() != needed.size()) scalars.clear();
  return scalars;
}

/// The pointee among other values of the variable's scalars.
void set_pointee(ShaderContext& t, const Pointer& pointer, std::vector<Part> scalars) {
  Pointer there = pointer;
  there.storage = std::make_shared<std::vector<Part>>(std::move(scalars));
  const std::vector<Part> parts = t.memory.load(there, t.result_name()).parts;
  each_scalar(t, [&](unsigned i) { return t.b.copy(parts[i]); });
}

/// Where a sample lies, from the middle of the pixel.
std::array<Real, 2> place_of_sample(ShaderContext& t, const Part& sample) {
  VisaWriter& b = t.b;
  const Part number = sample.as(Type::UD);
  const auto word = [&](unsigned k) {
    return t.inputs.keep(t.fragment.sample_table[k], Type::UD, fmt::format("sample_table_{}", k),
                         fmt::format("sample_table.{}", k));
  };
  Part four = word(3);
  for (unsigned k = 3; k-- > 0;)
    four = b.select(b.compare("lt", number, ud(4 * k + 4), "among"), word(k), four, "positions");
  const Part place = b.make("and", Type::UD, {number, ud(3)}, "place");
  const Part both = b.make("shr", Type::UD, {four, b.make("shl", Type::UD, {place, ud(3)}, "bits")}, "position");
  const auto axis = [&](std::uint32_t from) {
    const Part sixteenths =
        b.make("and", Type::UD, {b.make("shr", Type::UD, {both, ud(from)}, "position"), ud(15)}, "sixteenths");
    const Real position(b, b.convert(sixteenths, Type::F, "position"));
    return mad(position, position.number(1.0 / 16), position.number(-0.5));
  };
  return {axis(0), axis(4)};
}

/// How far the place of InterpolateAtOffset or InterpolateAtSample lies from where inputs are evaluated, in pixels.
std::array<Real, 2> distance_of(ShaderContext& t, bool at_sample) {
  VisaWriter& b = t.b;
  const std::uint32_t operand = extended_operand(t, 1);
  std::array<Real, 2> to = at_sample
                               ? place_of_sample(t, t.values.part(operand, 0))
                               : std::array{Real(b, t.values.part(operand, 0)), Real(b, t.values.part(operand, 1))};
  if (!t.fragment.per_sample) return to;
  for (const unsigned axis : {0u, 1u}) {
    const char letter = axis == 0 ? 'x' : 'y';
    const Part& own = t.inputs.keep(t.fragment.own_position[axis], Type::F, fmt::format("own_{}", letter),
                                    fmt::format("sample_position.{}", letter));
    to[axis] = to[axis] + 0.5 - Real(b, own);
  }
  return to;
}

/// To the place of InterpolateAtOffset or InterpolateAtSample. The value times 1/w is linear on the screen: carried on
/// with its derivatives, divided by 1/w carried on likewise. Neighbors may choose other elements: each is moved first.
void move_inputs(ShaderContext& t, const Pointer& pointer, const std::vector<bool>& needed, bool at_sample,
                 std::vector<Part>& scalars) {
  const std::array<Real, 2> to = distance_of(t, at_sample);
  const auto moved = [&](const Real& v) {
    const Part kept = v.part();
    const Real dx(t.b, derivative_of(t.b, kept, Axis::X, false, "dx")),
        dy(t.b, derivative_of(t.b, kept, Axis::Y, false, "dy"));
    return mad(dy, to[1], mad(dx, to[0], Real(t.b, kept)));
  };
  std::optional<Real> w, there;
  if (!t.annotations.decoration(pointer.root, spv::DecorationNoPerspective).has_value() &&
      !is_built_in(t, pointer.root, spv::BuiltInBaryCoordNoPerspKHR)) {
    w.emplace(t.b, t.inputs.keep(t.fragment.w, Type::F, "frag_w", "position.w"));
    there.emplace(moved(*w));
  }
  for (std::size_t k = 0; k < scalars.size(); ++k) {
    if (!needed[k]) continue;
    const Real value(t.b, scalars[k]);
    scalars[k] = (w ? moved(value * *w) / *there : moved(value)).part();
  }
}

}  // namespace

bool glsl_interpolate(ShaderContext& t) {
  const std::uint32_t number = extended_number(t);
  if (number < GLSLstd450InterpolateAtCentroid || number > GLSLstd450InterpolateAtOffset) return false;
  const std::shared_ptr<Pointer> pointer = t.values.of(extended_operand(t, 0)).pointer;
  if (pointer == nullptr || pointer->kind != Pointer::Kind::Registers) {
    t.refuse("this pointer is not an input");
    return true;
  }
  if (t.annotations.decoration(pointer->root, spv::DecorationFlat).has_value()) {
    set_pointee(t, *pointer, *pointer->storage);
    return true;
  }
  const std::vector<bool> needed = needed_scalars(*pointer, t.types.scalars(pointer->pointee).size());
  std::vector<Part> scalars = *pointer->storage;
  const bool centroid = number == GLSLstd450InterpolateAtCentroid;
  if (centroid || t.annotations.decoration(pointer->root, spv::DecorationCentroid).has_value())
    scalars = inputs_at(t, *pointer, needed, centroid);
  if (scalars.empty()) {
    t.refuse("this pointer is not an input with a location");
    return true;
  }
  if (!centroid) move_inputs(t, *pointer, needed, number == GLSLstd450InterpolateAtSample, scalars);
  set_pointee(t, *pointer, std::move(scalars));
  return true;
}

}  // namespace heddle::spirv::compiler
