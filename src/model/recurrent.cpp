// RNN, GRU and LSTM, opsets 7 to 17: every step written out. The products with the input are taken of the
// whole sequence at once, before the steps; what a state of zeros would contribute is left out.
#include <algorithm>
#include <array>

#include "model/expansion_parts.h"

namespace hallmark::model {
namespace {

// Far beyond what anybody runs; a file may claim any length.
constexpr std::int64_t maximum_steps = 4096;

using Names = std::vector<std::string>;

// Values may be "", which stands for zeros.
class Layer {
 public:
  Layer(NodeWriter& writer, int gates, int activations) : w_(writer), gates_(gates) {
    const std::string direction = w_.string("direction", "forward");
    if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
      w_.invalid("direction should not be '" + direction + "'");
    directions_ = direction == "bidirectional" ? 2 : 1;
    first_reverses_ = direction == "reverse";
    batch_first_ = flag("layout");
    read_extents();
    read_activations(activations);
    if (w_.attribute("clip") != nullptr) w_.refuse("clipped gates");
    x_ = batch_first_ ? w_.transpose(w_.input(0), {1, 0, 2}) : w_.input(0);
  }

  bool flag(const std::string& name) const {
    const std::int64_t value = w_.integer(name, 0);
    if (value != 0 && value != 1) w_.invalid("the attribute '" + name + "' should be 0 or 1");
    return value == 1;
  }

  int directions() const { return directions_; }
  std::int64_t steps() const { return steps_; }

  // Input i, [directions, parts * hidden, ...], as one tensor a part of this direction; "" for each when it
  // is left out. `columns`: whether a last axis follows.
  Names parts(int i, std::int64_t parts, int direction, bool columns) {
    Names out(static_cast<std::size_t>(parts));
    if (w_.input(i).empty()) return out;
    std::vector<std::int64_t> to{directions_, parts, hidden_};
    if (columns) to.push_back(-1);
    const std::string all = pick(w_.reshape(w_.input(i), to), direction);
    for (std::int64_t p = 0; p < parts; ++p) out[static_cast<std::size_t>(p)] = pick(all, p);
    return out;
  }

  // [directions, batch, hidden] of this direction; "" when the input is left out.
  std::string initial(int i, int direction) {
    if (w_.input(i).empty()) return "";
    return pick(batch_first_ ? w_.transpose(w_.input(i), {1, 0, 2}) : w_.input(i), direction);
  }

  // The input's part of each gate's sum, with its biases, for all steps; and the matrices of the state's.
  void prepare(int direction) {
    direction_ = direction;
    sequence_.clear();
    recurrent_.clear();
    const Names weights = parts(1, gates_, direction, true), states = parts(2, gates_, direction, true);
    biases_ = parts(3, 2 * gates_, direction, false);
    for (int g = 0; g < gates_; ++g) {
      const auto at = static_cast<std::size_t>(g);
      sequence_.push_back(plus(w_.add("MatMul", {x_, w_.transpose(weights[at], {1, 0})}), biases_[at]));
      recurrent_.push_back(w_.transpose(states[at], {1, 0}));
    }
  }

  std::string bias_of_state(int gate) const { return biases_[static_cast<std::size_t>(gates_ + gate)]; }
  std::string from_input(int gate, std::int64_t step) {
    return pick(sequence_[static_cast<std::size_t>(gate)], step);
  }
  std::string from_state(int gate, const std::string& state) {
    return state.empty() ? "" : w_.add("MatMul", {state, recurrent_[static_cast<std::size_t>(gate)]});
  }
  // The whole sum of a gate.
  std::string sum(int gate, std::int64_t step, const std::string& state) {
    return plus(plus(from_input(gate, step), from_state(gate, state)), bias_of_state(gate));
  }

  std::string activate(int which, const std::string& value) {
    const std::size_t per_direction = activations_.size() / static_cast<std::size_t>(directions_);
    const std::size_t first = static_cast<std::size_t>(direction_) * per_direction;
    return w_.add(activations_[first + static_cast<std::size_t>(which)], {value});
  }

  std::string plus(const std::string& a, const std::string& b) { return both("Add", a, b, true); }
  std::string times(const std::string& a, const std::string& b) { return both("Mul", a, b, false); }

  // What a state is after step t, and what the sequence of outputs holds there: sequences that are shorter
  // keep the state and give zeros.
  std::string kept(std::int64_t t, const std::string& fresh, const std::string& before) {
    return w_.input(4).empty() ? fresh : choose(t, fresh, before);
  }
  std::string shown(std::int64_t t, const std::string& state) {
    return w_.input(4).empty() ? state : choose(t, state, "");
  }

  // Steps in the order in which this direction takes them.
  std::vector<std::int64_t> order() const {
    std::vector<std::int64_t> out(static_cast<std::size_t>(steps_));
    for (std::int64_t t = 0; t < steps_; ++t) out[static_cast<std::size_t>(t)] = t;
    if (direction_ == 1 || first_reverses_) std::reverse(out.begin(), out.end());
    return out;
  }

  // After a direction: its states by step, and the last ones of each kind (Y_h, then Y_c). A sequence of no
  // step has zeros for its last ones, whatever it started from, as runtimes have it.
  void finish(const Names& by_step, const Names& last) {
    Names rows;
    for (const std::string& state : by_step) rows.push_back(w_.reshape(state, {1, 1, -1, hidden_}));
    sequences_.push_back(w_.concat(rows, 0));
    for (std::size_t i = 0; i < last.size(); ++i)
      lasts_[i].push_back(w_.reshape(shown(0, last[i]), {1, -1, hidden_}));
  }

  Function take() {
    deliver(0, w_.concat(sequences_, 1), {2, 0, 1, 3});
    for (int i = 0; i < 2; ++i)
      if (const Names& values = lasts_[static_cast<std::size_t>(i)]; !values.empty())
        deliver(i + 1, w_.concat(values, 0), {1, 0, 2});
    return w_.take();
  }

  NodeWriter& writer() { return w_; }

 private:
  std::string pick(const std::string& value, std::int64_t at) {
    return w_.add("Gather", {value, w_.constant(at)});
  }

  std::string both(const char* op_type, const std::string& a, const std::string& b, bool zero_is_neutral) {
    if (a.empty() || b.empty()) return zero_is_neutral ? (a.empty() ? b : a) : "";
    return w_.add(op_type, {a, b});
  }

  std::string choose(std::int64_t t, const std::string& fresh, const std::string& otherwise) {
    const std::string at = w_.cast(w_.constant(t), w_.declaration(4).format);
    const std::string lasts = w_.reshape(w_.add("Less", {at, w_.input(4)}), {-1, 1});
    return w_.add("Where", {lasts, fresh, otherwise.empty() ? w_.zero(w_.declaration(0).format) : otherwise});
  }

  void deliver(int output, const std::string& value, const std::vector<std::int64_t>& batch_first) {
    if (w_.output(output).empty()) return;
    if (batch_first_)
      w_.transpose(value, batch_first, w_.output(output));
    else
      w_.add("Identity", {value}, w_.output(output));
  }

  void require(const calculus::Term& extent, std::int64_t expected, const std::string& what) const {
    if (w_.concrete(extent, what) != expected) w_.invalid(what + " should be " + std::to_string(expected));
  }

  // Broadcasting would hide a state for another number of sequences.
  void require_same_batch(const calculus::Term& given, const calculus::Term& expected) const {
    if (given == expected) return;
    if (calculus::as_integer(given) != nullptr && calculus::as_integer(expected) != nullptr)
      w_.invalid("its inputs are of different batches");
    w_.refuse("inputs whose batches are not known to be equal", "E6304");
  }

  void read_extents() {
    const operators::Extents& x = w_.require_input(0, 3);
    const operators::Extents& weights = w_.require_input(1, 3);
    const operators::Extents& states = w_.require_input(2, 3);
    steps_ = w_.concrete(x[batch_first_ ? 1 : 0], "the number of steps");
    if (steps_ < 1 || steps_ > maximum_steps) w_.refuse("a sequence of " + std::to_string(steps_) + " steps");
    hidden_ = w_.concrete(states[2], "the size of the state");
    if (hidden_ < 1) w_.invalid("a state without elements");
    require(weights[0], directions_, "the first extent of W");
    require(weights[1], gates_ * hidden_, "the second extent of W");
    require(states[0], directions_, "the first extent of R");
    require(states[1], gates_ * hidden_, "the second extent of R");
    if (const auto* given = w_.attribute("hidden_size"); given != nullptr && given->i() != hidden_)
      w_.invalid("hidden_size and R differ");
    if (!w_.input(3).empty()) {
      const operators::Extents& bias = w_.require_input(3, 2);
      require(bias[0], directions_, "the first extent of B");
      require(bias[1], 2 * gates_ * hidden_, "the second extent of B");
    }
    if (!w_.input(4).empty()) {
      if (w_.opset() < 9) w_.refuse("lengths of the sequences before opset 9");
      require_same_batch(w_.require_input(4, 1)[0], x[batch_first_ ? 0 : 1]);
    }
    for (int i = 5; i < 7; ++i) {
      if (w_.input(i).empty()) continue;
      const operators::Extents& initial = w_.require_input(i, 3);
      require(initial[batch_first_ ? 1 : 0], directions_, "the directions of an initial state");
      require(initial[2], hidden_, "the last extent of an initial state");
      require_same_batch(initial[batch_first_ ? 0 : 1], x[batch_first_ ? 0 : 1]);
    }
    if (!w_.input(7).empty()) {
      const operators::Extents& peepholes = w_.require_input(7, 2);
      require(peepholes[0], directions_, "the first extent of P");
      require(peepholes[1], 3 * hidden_, "the second extent of P");
    }
  }

  void read_activations(int count) {
    static const std::array<const char*, 8> known{"Sigmoid",     "Tanh", "Relu",     "LeakyRelu",
                                                  "HardSigmoid", "Elu",  "Softsign", "Softplus"};
    for (const char* name : {"activation_alpha", "activation_beta"})
      if (const auto* given = w_.attribute(name); given != nullptr && given->floats_size() > 0)
        w_.refuse(std::string("the attribute '") + name + "'");
    const onnx::AttributeProto* given = w_.attribute("activations");
    if (given == nullptr || given->strings_size() == 0) {
      for (int d = 0; d < directions_; ++d)
        for (int i = 0; i < count; ++i) activations_.push_back(i == 0 && count > 1 ? "Sigmoid" : "Tanh");
      return;
    }
    if (given->strings_size() != count * directions_)
      w_.invalid("it should name " + std::to_string(count * directions_) + " activations");
    for (const std::string& name : given->strings()) {
      if (std::find(known.begin(), known.end(), name) == known.end())
        w_.refuse("the activation '" + name + "'");
      activations_.push_back(name);
    }
  }

  NodeWriter& w_;
  int gates_ = 1, directions_ = 1, direction_ = 0;
  bool first_reverses_ = false, batch_first_ = false;
  std::int64_t steps_ = 0, hidden_ = 0;
  std::string x_;
  Names activations_, sequence_, recurrent_, biases_;
  Names sequences_;             // per direction
  std::array<Names, 2> lasts_;  // Y_h and Y_c, per direction
};

// H = f(X W' + H R' + Wb + Rb)
void plain(Layer& layer, int direction) {
  std::string state = layer.initial(5, direction);
  Names by_step(static_cast<std::size_t>(layer.steps()));
  for (const std::int64_t t : layer.order()) {
    state = layer.kept(t, layer.activate(0, layer.sum(0, t, state)), state);
    by_step[static_cast<std::size_t>(t)] = layer.shown(t, state);
  }
  layer.finish(by_step, {state});
}

// Gates z (update), r (reset), h (candidate): H = (1 - z) h + z H.
void gated(Layer& layer, int direction) {
  enum { update, reset, candidate };
  NodeWriter& w = layer.writer();
  const bool reset_after = layer.flag("linear_before_reset");
  std::string state = layer.initial(5, direction);
  Names by_step(static_cast<std::size_t>(layer.steps()));
  for (const std::int64_t t : layer.order()) {
    const std::string z = layer.activate(0, layer.sum(update, t, state));
    const std::string r = layer.activate(0, layer.sum(reset, t, state));
    std::string inner = layer.from_input(candidate, t);
    if (reset_after) {
      const std::string from_state =
          layer.plus(layer.from_state(candidate, state), layer.bias_of_state(candidate));
      inner = layer.plus(inner, layer.times(r, from_state));
    } else {
      inner = layer.plus(inner, layer.from_state(candidate, layer.times(r, state)));
      inner = layer.plus(inner, layer.bias_of_state(candidate));
    }
    const std::string h = layer.activate(1, inner);
    // (1 - z) h as h - z h, which needs no constant of the layer's format.
    const std::string fresh = w.add("Sub", {h, w.add("Mul", {z, h})});
    state = layer.kept(t, layer.plus(fresh, layer.times(z, state)), state);
    by_step[static_cast<std::size_t>(t)] = layer.shown(t, state);
  }
  layer.finish(by_step, {state});
}

// Gates i (input), o (output), f (forget), c (cell).
void long_short(Layer& layer, int direction) {
  enum { input, output, forget, cell };
  if (layer.flag("input_forget")) layer.writer().refuse("coupled input and forget gates");
  const Names peepholes = layer.parts(7, 3, direction, false);
  std::string state = layer.initial(5, direction), memory = layer.initial(6, direction);
  Names by_step(static_cast<std::size_t>(layer.steps()));
  for (const std::int64_t t : layer.order()) {
    const auto gate = [&](int g, const std::string& seen) {
      const std::string sum = layer.sum(g, t, state);
      return layer.activate(
          0, g == cell ? sum : layer.plus(sum, layer.times(peepholes[static_cast<std::size_t>(g)], seen)));
    };
    const std::string i = gate(input, memory);
    const std::string kept = memory.empty() ? "" : layer.times(gate(forget, memory), memory);
    const std::string candidate = layer.activate(1, layer.sum(cell, t, state));
    const std::string cell_state = layer.plus(kept, layer.times(i, candidate));
    const std::string o = gate(output, cell_state);
    state = layer.kept(t, layer.times(o, layer.activate(2, cell_state)), state);
    memory = layer.kept(t, cell_state, memory);
    by_step[static_cast<std::size_t>(t)] = layer.shown(t, state);
  }
  layer.finish(by_step, {state, memory});
}

Function recurrent(NodeWriter& writer, int gates, int activations, void (*cell)(Layer&, int)) {
  Layer layer(writer, gates, activations);
  for (int d = 0; d < layer.directions(); ++d) {
    layer.prepare(d);
    cell(layer, d);
  }
  return layer.take();
}

}  // namespace

Function expand_rnn(NodeWriter& writer) {
  return recurrent(writer, 1, 1, plain);
}

Function expand_gru(NodeWriter& writer) {
  return recurrent(writer, 3, 2, gated);
}

Function expand_lstm(NodeWriter& writer) {
  return recurrent(writer, 4, 3, long_short);
}

}  // namespace hallmark::model
