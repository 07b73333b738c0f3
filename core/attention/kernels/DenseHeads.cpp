// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/DenseHeads.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>

#include "core/attention/kernels/LogitMath.h"
#include "core/attention/kernels/LogitSteps.h"
#include "core/attention/kernels/RowMath.h"

namespace headlight::dense {
namespace {

/// Query rows handled at a time: enough for the matrix product, which arranges all keys anew for
/// every block, and few enough for their logits to stay in the second-level cache while they can.
/// By sizes alone, and all blocks alike.
std::int64_t rowBlock(std::int64_t queries, std::int64_t keys, std::int64_t tasks) {
  constexpr std::int64_t kValues = 1 << 17, kFewTasks = 16;
  const std::int64_t most =
      tasks < kFewTasks ? 64 : std::clamp<std::int64_t>(kValues / keys, 64, 256);
  const std::int64_t blocks = (queries + most - 1) / most;
  return (queries + blocks - 1) / blocks;
}

/// s[count, Tk] = scale · Q[first …] Kᵀ.
template <typename T, typename Kept>
void logitRows(Arithmetic arithmetic, const HeadInputs& inputs, const HeadOperands<Kept>& operands,
               std::int64_t image, std::int64_t head, std::int64_t first, std::int64_t count,
               T* s) {
  const Kept *q = operands.q.of(image, head) + first * operands.q.row,
             *k = operands.k.of(image, head);
  multiply(arithmetic, {count, inputs.keys, inputs.keyWidth}, scaleOf<T>(inputs.keyWidth),
           plain(q, operands.q.row), turned(k, operands.k.row), false, s, inputs.keys);
}

/// What one thread of the backward pass works in: blocks of rows.
template <typename T>
struct Scratch {
  std::vector<T> a, dS;       ///< the softmax, and the gradient that goes back from it
  std::vector<T> raw, open;   ///< logits before the factor, and before the mask, where needed
  std::vector<T> weights;     ///< A, where it is not the softmax
  std::vector<T> dQ, dK, dV;  ///< before they are rounded, where they are kept in 16 bits
};

/// The backward pass of one head of one image.
template <typename T, typename Kept>
struct HeadBackward {
  const Arithmetic arithmetic;
  const HeadInputs& inputs;
  const HeadOperands<Kept>&operands, &dOperands;
  const HeadRows<const Kept>& dOutput;
  const HeadSteps<T> steps;
  std::int64_t image, head;
  const T *highest, *inverse, *reciprocal;  ///< [Tq]
  T *dAlpha, *dFactor, *dBias, *dWeightFactor, *dRowTerms, *dColTerms;

  void run(Scratch<T>& scratch) const {
    const std::int64_t block = rowBlock(inputs.queries, inputs.keys, inputs.batch * inputs.heads);
    const Rows dK(dOperands.k.of(image, head), dOperands.k.row, inputs.keys, inputs.keyWidth,
                  scratch.dK),
        dV(dOperands.v.of(image, head), dOperands.v.row, inputs.keys, inputs.valueWidth,
           scratch.dV);
    double alphaSum = 0;
    for (std::int64_t first = 0; first < inputs.queries; first += block) {
      const std::int64_t count = std::min(block, inputs.queries - first);
      softmaxRows(first, count, scratch);
      fromOutput(first, count, dV, scratch);
      throughSteps(first, count, scratch, alphaSum);
      toQueries(first, count, scratch);
      toKeys(first, count, dK, scratch);
    }
    dK.keep();
    dV.keep();
    if (steps.rule == LogitRule::Blend) *dAlpha = static_cast<T>(alphaSum);
  }

 private:
  using Rows = RowsToKeep<T, Kept>;

  bool keepsRaw() const { return dFactor != nullptr; }
  bool keepsOpen() const { return steps.rule == LogitRule::Blend; }
  bool dropsWeights() const { return steps.leastWeight >= 0; }
  bool hasOwnWeights() const { return steps.weightFactor || dropsWeights(); }

  void softmaxRows(std::int64_t first, std::int64_t count, Scratch<T>& scratch) const {
    const std::int64_t size = count * inputs.keys;
    const auto copied = [&](std::vector<T>& to) {
      to.assign(scratch.a.data(), scratch.a.data() + size);
    };
    scratch.a.resize(size);
    logitRows(arithmetic, inputs, operands, image, head, first, count, scratch.a.data());
    if (keepsRaw()) copied(scratch.raw);
    steps.applyBeforeMask(scratch.a.data(), first, count);
    if (keepsOpen()) copied(scratch.open);
    steps.applyMask(scratch.a.data(), first, count);
    rows::softmaxAgain(scratch.a.data(), count, inputs.keys, highest + first, inverse + first);
    if (hasOwnWeights()) copied(scratch.weights);
    if (dropsWeights())
      rows::dropWhereSmall(scratch.weights.data(), scratch.a.data(), steps.leastWeight, size);
    if (!steps.weightFactor) return;
    rows::multiply(scratch.weights.data(), steps.weightFactor + first * inputs.keys, size);
    rows::scaleRows(scratch.weights.data(), count, inputs.keys, inputs.keys, reciprocal + first);
  }

  /// dV += Aᵀ dO; dA = dO Vᵀ; back through W and the softmax.
  void fromOutput(std::int64_t first, std::int64_t count, const Rows& dV,
                  Scratch<T>& scratch) const {
    const Kept *dO = dOutput.of(image, head) + first * dOutput.row, *v = operands.v.of(image, head);
    const T* weights = hasOwnWeights() ? scratch.weights.data() : scratch.a.data();
    scratch.dS.resize(count * inputs.keys);
    multiply(arithmetic, {inputs.keys, inputs.valueWidth, count}, T(1),
             turned(weights, inputs.keys), plain(dO, dOutput.row), first > 0, dV.data(), dV.row());
    multiply(arithmetic, {count, inputs.keys, inputs.valueWidth}, T(1), plain(dO, dOutput.row),
             turned(v, operands.v.row), false, scratch.dS.data(), inputs.keys);
    if (steps.weightFactor) throughWeightFactor(first, count, scratch);
    if (dropsWeights())
      rows::dropWhereSmall(scratch.dS.data(), scratch.a.data(), steps.leastWeight,
                           count * inputs.keys);
    rows::softmaxBackward(scratch.a.data(), scratch.dS.data(), count, inputs.keys);
  }

  void throughWeightFactor(std::int64_t first, std::int64_t count, Scratch<T>& scratch) const {
    const std::int64_t offset = first * inputs.keys, size = count * inputs.keys;
    rows::unitRowsBackward(scratch.weights.data(), reciprocal + first, T(1 / kLeastRowSum),
                           scratch.dS.data(), count, inputs.keys);
    if (dWeightFactor)
      rows::addProduct(dWeightFactor + offset, scratch.dS.data(), scratch.a.data(), size);
    rows::multiply(scratch.dS.data(), steps.weightFactor + offset, size);
  }

  void throughSteps(std::int64_t first, std::int64_t count, Scratch<T>& scratch,
                    double& alphaSum) const {
    const std::int64_t offset = first * inputs.keys, size = count * inputs.keys;
    T* dS = scratch.dS.data();
    if (steps.rule == LogitRule::Blend)
      alphaSum += rows::outsideDot(dS, scratch.open.data(), steps.mask + offset, size);
    if (steps.rule == LogitRule::Blend || steps.rule == LogitRule::Multiply)
      rows::blend(dS, steps.mask + offset, steps.alpha, size);
    if (dRowTerms)
      rows::sumTerms(dS, dRowTerms + first * steps.rows, dColTerms + first * steps.cols, count,
                     steps.rows, steps.cols);
    if (dBias) rows::add(dBias + offset, dS, size);
    if (dFactor) rows::addProduct(dFactor + offset, dS, scratch.raw.data(), size);
    if (steps.factor) rows::multiply(dS, steps.factor + offset, size);
  }

  /// dQ = scale · dS K.
  void toQueries(std::int64_t first, std::int64_t count, Scratch<T>& scratch) const {
    const Rows dQ(dOperands.q.of(image, head) + first * dOperands.q.row, dOperands.q.row, count,
                  inputs.keyWidth, scratch.dQ);
    const Kept* k = operands.k.of(image, head);
    multiply(arithmetic, {count, inputs.keyWidth, inputs.keys}, scaleOf<T>(inputs.keyWidth),
             plain<T>(scratch.dS.data(), inputs.keys), plain(k, operands.k.row), false, dQ.data(),
             dQ.row());
    dQ.keep();
  }

  /// dK += scale · dSᵀ Q.
  void toKeys(std::int64_t first, std::int64_t count, const Rows& dK, Scratch<T>& scratch) const {
    const Kept* q = operands.q.of(image, head) + first * operands.q.row;
    multiply(arithmetic, {inputs.keys, inputs.keyWidth, count}, scaleOf<T>(inputs.keyWidth),
             turned<T>(scratch.dS.data(), inputs.keys), plain(q, operands.q.row), first > 0,
             dK.data(), dK.row());
  }
};

}  // namespace

template <typename T, typename Kept>
void forward(Arithmetic arithmetic, const HeadInputs& inputs, const HeadList& list,
             const HeadLogits& logits, Kept* output, T* map, T* stats) {
  const LayerSteps<T> layer(inputs, logits);
  const HeadOperands<Kept> operands(inputs);
  const auto out = rowsSideBySide(output, inputs.queries, inputs.heads, inputs.valueWidth);
  const std::int64_t queries = inputs.queries, keys = inputs.keys,
                     block = rowBlock(queries, keys, list.tasks()),
                     blocks = (queries + block - 1) / block;
  at::parallel_for(0, list.tasks() * blocks, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<T> scratch(map ? 0 : block * keys), scratchStats(stats ? 0 : kStats * block),
        unit(block), room;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t task = i / blocks, first = i % blocks * block;
      const std::int64_t count = std::min(block, queries - first);
      const std::int64_t image = list.image(task), head = list.head(task);
      T* s = map ? map + (task * queries + first) * keys : scratch.data();
      T* highest = stats ? stats + task * kStats * queries + first : scratchStats.data();
      const std::int64_t apart = stats ? queries : block;
      T *inverse = highest + apart, *reciprocal = inverse + apart;
      const auto steps = layer.of(image, head);
      logitRows(arithmetic, inputs, operands, image, head, first, count, s);
      steps.applyBeforeMask(s, first, count);
      steps.applyMask(s, first, count);
      rows::exponentials(s, count, keys, highest, inverse);
      steps.applyAfterSoftmax(s, first, count, inverse, unit.data(), reciprocal);
      const RowsToKeep<T, Kept> values(out.of(image, head) + first * out.row, out.row, count,
                                       inputs.valueWidth, room);
      const Kept* v = operands.v.of(image, head);
      multiply(arithmetic, {count, inputs.valueWidth, keys}, T(1), plain<T>(s, keys),
               plain(v, operands.v.row), false, values.data(), values.row());
      rows::scaleRows(values.data(), count, inputs.valueWidth, values.row(), unit.data());
      values.keep();
      if (map) rows::scaleRows(s, count, keys, keys, unit.data());  // last: a tap changes no output
    }
  });
}

std::int64_t imagesPerChunk(const HeadList& list) {
  constexpr std::int64_t kTasks = 64;  // enough for the threads of a large machine
  return std::max<std::int64_t>(1, (list.tasks() + kTasks - 1) / kTasks);
}

std::int64_t countChunks(const HeadList& list) {
  const std::int64_t images = imagesPerChunk(list);
  return (list.batch + images - 1) / images;
}

template <typename T, typename Kept>
void backward(Arithmetic arithmetic, const HeadInputs& inputs, const T* stats, const Kept* dOutput,
              const HeadList& list, const HeadLogits& logits, const HeadInputs& dInputs,
              const Gradients<T>& gradients) {
  const LayerSteps<T> layer(inputs, logits);
  const HeadOperands<Kept> operands(inputs), dOperands(dInputs);
  const auto out = rowsSideBySide(dOutput, inputs.queries, inputs.heads, inputs.valueWidth);
  const std::int64_t queries = inputs.queries, images = imagesPerChunk(list),
                     size = queries * inputs.keys;
  at::parallel_for(
      0, countChunks(list) * list.count(), 1, [&](std::int64_t begin, std::int64_t end) {
        Scratch<T> scratch;
        const auto at = [](T* base, std::int64_t offset) { return base ? base + offset : nullptr; };
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t chunk = i / list.count(), head = list.heads[i % list.count()];
          const std::int64_t last = std::min((chunk + 1) * images, list.batch);
          for (std::int64_t image = chunk * images; image < last; ++image) {
            const std::int64_t task = image * list.count() + i % list.count(),
                               row = (image * inputs.heads + head) * queries;
            const auto steps = layer.of(image, head);
            const T* highest = stats + task * kStats * queries;
            HeadBackward<T, Kept>{arithmetic,
                                  inputs,
                                  operands,
                                  dOperands,
                                  out,
                                  steps,
                                  image,
                                  head,
                                  highest,
                                  highest + queries,
                                  highest + 2 * queries,
                                  at(gradients.alpha, task),
                                  at(gradients.factor, i * size),
                                  at(gradients.bias, i * size),
                                  at(gradients.weightFactor, i * size),
                                  at(gradients.rowTerms, row * steps.rows),
                                  at(gradients.colTerms, row * steps.cols)}
                .run(scratch);
          }
        }
      });
}

// Types cannot stand in parentheses. NOLINTBEGIN(bugprone-macro-parentheses)
#define HEADLIGHT_DENSE(T, Kept)                                                                  \
  template void forward(Arithmetic, const HeadInputs&, const HeadList&, const HeadLogits&, Kept*, \
                        T*, T*);                                                                  \
  template void backward(Arithmetic, const HeadInputs&, const T*, const Kept*, const HeadList&,   \
                         const HeadLogits&, const HeadInputs&, const Gradients<T>&)
HEADLIGHT_DENSE(double, double);
HEADLIGHT_DENSE(float, float);
HEADLIGHT_DENSE(float, std::uint16_t);
#undef HEADLIGHT_DENSE
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace headlight::dense
