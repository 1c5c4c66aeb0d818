// SPDX-License-Identifier: MIT
// Operators and parentheses use explicit stacks: depth costs memory, never the machine's stack.
// Rules: TXT-5 to TXT-8.
#include "text/lexical/numbers.hpp"

#include <fmt/format.h>

#include <vector>

namespace heddle::text {
namespace {

enum class Op : std::uint8_t {
  Open,
  Question,
  Colon,  // markers
  And,
  Xor,
  Or,
  Equal,
  NotEqual,
  Less,
  Greater,
  LessEqual,
  GreaterEqual,
  ShiftLeft,
  ShiftRight,
  ShiftLogical,
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  Negate,
  Complement,
  Not
};

struct Token {
  Op op;
  std::uint8_t length;
};

constexpr int kUnary = 9;

/// TXT-7: & binds loosest, then ^, |, == !=, < > <= >=, shifts, + -, * / %.
constexpr int precedence(Op op) {
  switch (op) {
    case Op::Open:
    case Op::Question:
    case Op::Colon:
      return 0;
    case Op::And:
      return 1;
    case Op::Xor:
      return 2;
    case Op::Or:
      return 3;
    case Op::Equal:
    case Op::NotEqual:
      return 4;
    case Op::Less:
    case Op::Greater:
    case Op::LessEqual:
    case Op::GreaterEqual:
      return 5;
    case Op::ShiftLeft:
    case Op::ShiftRight:
    case Op::ShiftLogical:
      return 6;
    case Op::Add:
    case Op::Subtract:
      return 7;
    case Op::Multiply:
    case Op::Divide:
    case Op::Remainder:
      return 8;
    case Op::Negate:
    case Op::Complement:
    case Op::Not:
      return kUnary;
  }
  return 0;
}

bool binary_operator(const Scanner& in, bool compare, Token& out) {
  const char a = in.peek(), b = in.peek(1);
  const auto take = [&](Op op, std::uint8_t length) {
    out = {op, length};
    return true;
  };
  switch (a) {
    case '&':
      return take(Op::And, 1);
    case '^':
      return take(Op::Xor, 1);
    case '|':
      return take(Op::Or, 1);
    case '+':
      return take(Op::Add, 1);
    case '-':
      return take(Op::Subtract, 1);
    case '*':
      return take(Op::Multiply, 1);
    case '/':
      return b != '/' && b != '*' && take(Op::Divide, 1);
    case '%':
      return !is_name_start(b) && take(Op::Remainder, 1);
    case '=':
      return b == '=' && take(Op::Equal, 2);
    case '!':
      return b == '=' && take(Op::NotEqual, 2);
    case '<':
      if (b == '<') return take(Op::ShiftLeft, 2);
      if (!compare) return false;
      return b == '=' ? take(Op::LessEqual, 2) : take(Op::Less, 1);
    case '>':
      if (b == '>') return in.peek(2) == '>' ? take(Op::ShiftLogical, 3) : take(Op::ShiftRight, 2);
      if (!compare) return false;
      return b == '=' ? take(Op::GreaterEqual, 2) : take(Op::Greater, 1);
    default:
      return false;
  }
}

std::int64_t wrap(std::uint64_t v) { return static_cast<std::int64_t>(v); }

/// False: division by zero.
bool apply(Op op, std::int64_t a, std::int64_t b, std::int64_t& r) {
  const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
  const unsigned shift = static_cast<unsigned>(ub & 63u);
  switch (op) {
    case Op::And:
      r = a & b;
      return true;
    case Op::Xor:
      r = a ^ b;
      return true;
    case Op::Or:
      r = a | b;
      return true;
    case Op::Equal:
      r = a == b;
      return true;
    case Op::NotEqual:
      r = a != b;
      return true;
    case Op::Less:
      r = a < b;
      return true;
    case Op::Greater:
      r = a > b;
      return true;
    case Op::LessEqual:
      r = a <= b;
      return true;
    case Op::GreaterEqual:
      r = a >= b;
      return true;
    case Op::ShiftLeft:
      r = wrap(ua << shift);
      return true;
    case Op::ShiftRight:
      r = a >> shift;
      return true;
    case Op::ShiftLogical:
      r = wrap(ua >> shift);
      return true;
    case Op::Add:
      r = wrap(ua + ub);
      return true;
    case Op::Subtract:
      r = wrap(ua - ub);
      return true;
    case Op::Multiply:
      r = wrap(ua * ub);
      return true;
    case Op::Divide:
    case Op::Remainder:
      if (b == 0) return false;
      if (b == -1)
        r = op == Op::Divide ? wrap(0 - ua) : 0;  // the smallest value would overflow
      else
        r = op == Op::Divide ? a / b : a % b;
      return true;
    default:
      r = 0;
      return true;
  }
}

}  // namespace

/// %sizeof(NAME), %sizeof NAME: bytes of a general variable, 2 for each element of an address variable; GRF: the
/// register size.
bool Numbers::size_of(std::int64_t& out) {
  in_.space();
  const bool parenthesis = in_.accept('(');
  in_.space();
  const Scanner::Mark start = in_.mark();
  const std::string_view name = in_.name();
  const Span span = in_.span_from(start);
  if (name.empty()) return expected("a variable or GRF after %sizeof");
  if (name == "GRF") {
    out = c_.grf_bytes;
  } else {
    const Symbol* symbol = c_.names.find(name);
    if (symbol == nullptr) return symbols_.undeclared(name, span, "a general or address variable", SymbolKind::None);
    if (symbol->kind == SymbolKind::General) {
      const auto info = isa::variable_info(*c_.object, symbol->index, c_.grf_bytes);
      out = info ? info->bytes : 0;
    } else if (symbol->kind == SymbolKind::Address) {
      out = 2 * static_cast<std::int64_t>(c_.object->addresses[symbol->index].elements);
    } else {
      return symbols_.wrong_kind(name, *symbol, span, "a general or address variable");
    }
  }
  return !parenthesis || in_.accept(')') || expected("')'");
}

bool Numbers::number(Number& out, Operators allowed) {
  in_.space();
  out = {};
  const char c = in_.peek();
  bool negative = false;
  if (c == '-' && (is_digit(in_.peek(1)) || in_.peek(1) == '.')) {
    negative = true;
    in_.skip();
  }
  if (!is_digit(in_.peek()) && in_.peek() != '.') return expression(out, allowed, std::nullopt);
  if (!literals_.literal(out)) return false;
  if (negative) {
    out.value = wrap(0 - static_cast<std::uint64_t>(out.value));
    out.real = -out.real;
    out.cut = false;
    out.hex = false;
  }
  out.literal = true;
  if (out.is_real || allowed == Operators::Unary) return true;
  const char next = in_.peek();
  if (next == ':' || next == ')' || next == ',' || next == ';' || next == ']' || next == '\n') return true;
  const Scanner::Mark behind = in_.mark();
  in_.space();
  Token token;
  if (in_.peek() != '?' && !binary_operator(in_, allowed == Operators::All, token)) {
    in_.rewind(behind);
    return true;
  }
  return expression(out, allowed, out.value);
}

/// An expression with operators, by precedence: operators wait on a stack until one that binds less tightly follows.
class Numbers::Expression {
 public:
  Expression(Numbers& numbers, Operators allowed)
      : numbers_(numbers), in_(numbers.in_), start_(numbers.in_.mark()), allowed_(allowed) {}

  /// `first`: an operand that was read already.
  bool run(std::optional<std::int64_t> first, std::int64_t& result) {
    if (first) values_.push_back(*first);
    bool need_value = !first;
    while (!at_end_)
      if (!(need_value ? operand_or_sign(need_value) : operator_or_end(need_value))) return false;
    if (!reduce(1)) return false;
    finish_choices();
    if (!operators_.empty()) return numbers_.expected(operators_.back() == Op::Open ? "')'" : "':' of a '?'");
    result = values_.back();
    return true;
  }

 private:
  /// A number, %sizeof, a sign or an opening parenthesis.
  bool operand_or_sign(bool& need_value) {
    in_.space();
    const char c = in_.peek();
    if (c == '-' || c == '~' || (c == '!' && in_.peek(1) != '=')) {
      operators_.push_back(c == '-' ? Op::Negate : c == '~' ? Op::Complement : Op::Not);
      in_.skip();
      return true;
    }
    if (c == '+') {
      in_.skip();
      return true;
    }
    if (c == '(') {
      if (!nest()) return false;
      operators_.push_back(Op::Open);
      ++open_;
      in_.skip();
      return true;
    }
    need_value = false;
    return value();
  }

  bool value() {
    if (in_.looking_at("%sizeof")) {
      in_.skip(7);
      return numbers_.size_of(values_.emplace_back());
    }
    if (!is_digit(in_.peek()) && in_.peek() != '.') return numbers_.expected("a number or an integer expression");
    Number n;
    if (!numbers_.literals_.literal(n)) return false;
    if (n.is_real)
      return numbers_.error("visa-text-number", in_.span_from(start_),
                            "a floating-point number cannot stand in an integer expression");
    values_.push_back(n.value);
    return true;
  }

  /// What may follow a value: a binary operator, ? or :, a closing parenthesis, or something behind the expression.
  bool operator_or_end(bool& need_value) {
    const Scanner::Mark before = in_.mark();
    in_.space();
    const bool inside = open_ != 0;
    Token token;
    if (allowed_ == Operators::Unary && !inside) return end(before);
    if (binary_operator(in_, inside || allowed_ == Operators::All, token)) {
      if (!reduce(precedence(token.op))) return false;
      operators_.push_back(token.op);
      in_.skip(token.length);
      need_value = true;
      return true;
    }
    if (in_.peek() == '?') {
      if (!nest() || !reduce(1)) return false;
      operators_.push_back(Op::Question);
      in_.skip();
      need_value = true;
      return true;
    }
    if (in_.peek() == ':') {
      if (!reduce(1)) return false;
      finish_choices();
      if (operators_.empty() || operators_.back() != Op::Question) return end(before);  // the type of an immediate
      operators_.back() = Op::Colon;
      in_.skip();
      need_value = true;
      return true;
    }
    if (in_.peek() == ')' && inside) return close();
    return end(before);
  }

  bool end(Scanner::Mark before) {
    in_.rewind(before);
    at_end_ = true;
    return true;
  }

  bool close() {
    if (!reduce(1)) return false;
    finish_choices();
    if (operators_.back() != Op::Open) return numbers_.expected("':' of a '?'");
    operators_.pop_back();
    --open_;
    --nesting_;
    in_.skip();
    return true;
  }

  bool nest() {
    const std::size_t limit = numbers_.c_.options.limits.nesting;
    if (++nesting_ <= limit) return true;
    numbers_.error("limit-nesting", in_.here(),
                   fmt::format("expression nests deeper than {} levels; --max-nesting raises the limit", limit));
    numbers_.problems_.mark_limit();
    return false;
  }

  /// Applies all waiting operators that bind at least as tightly as `level`.
  bool reduce(int level) {
    while (!operators_.empty() && precedence(operators_.back()) >= level && precedence(operators_.back()) > 0) {
      const Op op = operators_.back();
      operators_.pop_back();
      if (precedence(op) == kUnary) {
        std::int64_t& v = values_.back();
        v = op == Op::Negate ? wrap(0 - static_cast<std::uint64_t>(v)) : op == Op::Complement ? ~v : v == 0;
        continue;
      }
      const std::int64_t b = values_.back();
      values_.pop_back();
      if (!apply(op, values_.back(), b, values_.back()))
        return numbers_.error("visa-text-number", in_.span_from(start_), "division by zero in an expression");
    }
    return true;
  }

  /// Applies c ? a : b that are complete.
  void finish_choices() {
    while (!operators_.empty() && operators_.back() == Op::Colon) {
      operators_.pop_back();
      const std::int64_t b = values_.back(), a = values_[values_.size() - 2], c = values_[values_.size() - 3];
      values_.resize(values_.size() - 2);
      values_.back() = c != 0 ? a : b;
    }
  }

  Numbers& numbers_;
  Scanner& in_;
  const Scanner::Mark start_;
  const Operators allowed_;
  std::vector<std::int64_t> values_;
  std::vector<Op> operators_;
  std::size_t nesting_ = 0;  ///< open parentheses and choices
  std::size_t open_ = 0;     ///< open parentheses
  bool at_end_ = false;
};

/// The general case. `first`: the first operand was read already.
bool Numbers::expression(Number& out, Operators allowed, std::optional<std::int64_t> first) {
  out = {};
  return Expression(*this, allowed).run(first, out.value);
}

/// An integer between `low` and `high`.
bool Numbers::integer(std::int64_t& out, Operators allowed, std::int64_t low, std::int64_t high,
                      std::string_view what) {
  in_.space();
  const Scanner::Mark start = in_.mark();
  Number n;
  if (!number(n, allowed)) return false;
  if (n.is_real)
    return error("visa-text-number", in_.span_from(start), silent() ? "" : fmt::format("{} must be an integer", what));
  out = n.cut ? static_cast<std::int64_t>(static_cast<std::uint32_t>(n.value)) : n.value;
  if (out >= low && out <= high) return true;
  problems_.set_understood(true);
  return error("visa-text-number", in_.span_from(start),
               silent() ? "" : fmt::format("{} {} is not between {} and {}", what, out, low, high));
}

}  // namespace heddle::text
