// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/LinearHeads.h"

#include <ATen/Parallel.h>

#include <algorithm>

#include "core/attention/kernels/Blas.h"
#include "core/attention/kernels/LocalRows.h"
#include "core/attention/kernels/RowMath.h"

namespace headlight::linear {
namespace {

using blas::gemm;
using rows::LocalHead;

constexpr bool kPlain = false, kTurned = true;
constexpr std::int64_t kRowBlock = 64;

std::int64_t blocksOf(std::int64_t tokens, std::int64_t block) {
  return (tokens + block - 1) / block;
}

template <typename T>
LocalHead<T> headOf(const T* qkv, const HeadView& view, const HeadList& list,
                    const HeadLogits& logits, std::int64_t task) {
  const std::int64_t image = list.image(task), head = list.head(task);
  return {logits.sets[head].get(),
          view.part(qkv, image, head, 0),
          view.part(qkv, image, head, 1),
          view.part(qkv, image, head, 2),
          3 * view.width,
          view.headWidth,
          scaleOf<T>(view.headWidth),
          logits.rules[head] == LogitRule::Forbid};
}

/// Prefix rows see every token: a[P, T] = softmax of their logits, and their outputs.
template <typename T>
void prefixForward(const LocalHead<T>& head, const HeadView& view, std::int64_t prefix, T* a,
                   T* output) {
  gemm(kTurned, kPlain, view.tokens, prefix, view.headWidth, head.scale, head.k, head.stride,
       head.q, head.stride, T(0), a, view.tokens);
  rows::softmax(a, prefix, view.tokens);
  gemm(kPlain, kPlain, view.headWidth, prefix, view.tokens, T(1), head.v, head.stride, a,
       view.tokens, T(0), output, view.width);
}

/// Writes dq of the prefix rows and adds their part of dk and dv.
template <typename T>
void prefixBackward(const LocalHead<T>& head, const HeadView& view, std::int64_t prefix, const T* a,
                    const T* dOutput, T* dq, T* dk, T* dv) {
  const std::int64_t tokens = view.tokens, wide = head.stride;
  std::vector<T> dS(prefix * tokens);
  gemm(kTurned, kPlain, tokens, prefix, view.headWidth, T(1), head.v, wide, dOutput, view.width,
       T(0), dS.data(), tokens);
  rows::softmaxBackward(a, dS.data(), prefix, tokens);
  gemm(kPlain, kPlain, view.headWidth, prefix, tokens, head.scale, head.k, wide, dS.data(), tokens,
       T(0), dq, wide);
  gemm(kPlain, kTurned, view.headWidth, tokens, prefix, head.scale, head.q, wide, dS.data(), tokens,
       T(1), dk, wide);
  gemm(kPlain, kTurned, view.headWidth, tokens, prefix, T(1), dOutput, view.width, a, tokens, T(1),
       dv, wide);
}

/// Calls body(task, first row, one past the last) for blocks of the rows [begin, T) of every image
/// and listed head. Heads take turns within a block: their rows lie side by side in memory.
template <typename Body>
void forEachBlock(const HeadList& list, std::int64_t begin, std::int64_t tokens,
                  std::int64_t blockRows, Body body) {
  const std::int64_t blocks = blocksOf(tokens - begin, blockRows), heads = list.count();
  at::parallel_for(0, list.tasks() * blocks, heads, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i) {
      const std::int64_t first = begin + i / heads % blocks * blockRows;
      body(i / heads / blocks * heads + i % heads, first, std::min(first + blockRows, tokens));
    }
  });
}

/// [tasks, d]: Σ over rows [begin, T) of values, times scale(task)[n] where it is given. In parts
/// of their own, so that the sums are the same whatever the threads.
template <typename T, typename Values, typename Scale>
std::vector<T> rowSums(const HeadView& view, const HeadList& list, std::int64_t stride,
                       Values values, Scale scale, std::int64_t begin) {
  constexpr std::int64_t kPart = 512;
  const std::int64_t width = view.headWidth, parts = blocksOf(view.tokens - begin, kPart);
  std::vector<T> partial(list.tasks() * parts * width), sums(list.tasks() * width);
  forEachBlock(list, begin, view.tokens, kPart,
               [&](std::int64_t task, std::int64_t first, std::int64_t last) {
                 const std::int64_t part = (first - begin) / kPart;
                 rows::sumRows(values(task), stride, width, scale(task), first, last,
                               partial.data() + (task * parts + part) * width);
               });
  for (std::int64_t task = 0; task < list.tasks(); ++task)
    rows::sumRows(partial.data() + task * parts * width, width, width, nullptr, 0, parts,
                  sums.data() + task * width);
  return sums;
}

}  // namespace

Kept::Kept(const HeadList& list, const HeadLogits& logits, std::int64_t tokens)
    : m_tokens(tokens), m_tasks(list.tasks()), m_perImage(0) {
  for (const std::int64_t head : list.heads) {
    m_begin.push_back(m_perImage);
    m_selected.push_back(logits.sets[head]->size());
    m_perImage += m_selected.back() + (1 + logits.sets[head]->prefix) * tokens;
  }
}

std::int64_t Kept::size() const {
  return m_begin.empty() ? 0 : m_tasks / static_cast<std::int64_t>(m_begin.size()) * m_perImage;
}
std::int64_t Kept::weights(std::int64_t task) const {
  const auto heads = static_cast<std::int64_t>(m_begin.size());
  return task / heads * m_perImage + m_begin[task % heads];
}
std::int64_t Kept::rest(std::int64_t task) const {
  return weights(task) + m_selected[task % static_cast<std::int64_t>(m_begin.size())];
}
std::int64_t Kept::prefixRows(std::int64_t task) const {
  return rest(task) + m_tokens;
}

template <typename T>
void forward(const T* qkv, const HeadView& view, const HeadList& list, const HeadLogits& logits,
             T* output, T* kept) {
  if (list.tasks() == 0) return;
  const Kept layout(list, logits, view.tokens);
  const std::int64_t prefix = logits.sets[list.heads[0]]->prefix;
  const auto headAt = [&](std::int64_t task) { return headOf(qkv, view, list, logits, task); };
  const auto outputAt = [&](std::int64_t task) {
    return view.rows(output, list.image(task), list.head(task));
  };
  const std::vector<T> valueSums = rowSums<T>(
      view, list, 3 * view.width, [&](std::int64_t task) { return headAt(task).v; },
      [](std::int64_t) { return static_cast<const T*>(nullptr); }, 0);
  forEachBlock(list, prefix, view.tokens, kRowBlock,
               [&](std::int64_t task, std::int64_t first, std::int64_t last) {
                 const auto head = headAt(task);
                 const auto& start = head.sets->rowStart;
                 std::vector<T> scratch(kept ? 0 : start[last] - start[first] + last - first);
                 T* weights = kept ? kept + layout.weights(task) + start[first] : scratch.data();
                 T* rest = kept ? kept + layout.rest(task) + first
                                : scratch.data() + (start[last] - start[first]);
                 rows::localForward(head, valueSums.data() + task * view.headWidth, first, last,
                                    outputAt(task), view.width, weights, rest);
               });
  if (prefix == 0) return;
  at::parallel_for(0, list.tasks(), 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<T> scratch(kept ? 0 : prefix * view.tokens);
    for (std::int64_t task = begin; task < end; ++task)
      prefixForward(headAt(task), view, prefix,
                    kept ? kept + layout.prefixRows(task) : scratch.data(), outputAt(task));
  });
}

template <typename T>
void backward(const T* qkv, const T* output, const T* kept, const T* dOutput, const HeadView& view,
              const HeadList& list, const HeadLogits& logits, T* dqkv) {
  if (list.tasks() == 0) return;
  const Kept layout(list, logits, view.tokens);
  const std::int64_t prefix = logits.sets[list.heads[0]]->prefix, total = layout.size();
  const auto headAt = [&](std::int64_t task) { return headOf(qkv, view, list, logits, task); };
  const auto rowsOf = [&](auto* values, std::int64_t task) {
    return view.rows(values, list.image(task), list.head(task));
  };
  const auto gradient = [&](std::int64_t task, int which) {
    return view.part(dqkv, list.image(task), list.head(task), which);
  };
  std::vector<T> dLogits(total);
  forEachBlock(list, prefix, view.tokens, kRowBlock,
               [&](std::int64_t task, std::int64_t first, std::int64_t last) {
                 rows::localBackwardRows(headAt(task), rowsOf(output, task), rowsOf(dOutput, task),
                                         view.width, first, last, kept + layout.weights(task),
                                         dLogits.data() + layout.weights(task), gradient(task, 0));
               });
  const std::vector<T> restSums = rowSums<T>(
      view, list, view.width, [&](std::int64_t task) { return rowsOf(dOutput, task); },
      [&](std::int64_t task) { return kept + layout.rest(task); }, prefix);
  forEachBlock(list, 0, view.tokens, kRowBlock,
               [&](std::int64_t task, std::int64_t first, std::int64_t last) {
                 rows::localBackwardKeys(headAt(task), rowsOf(dOutput, task), view.width,
                                         restSums.data() + task * view.headWidth, first, last,
                                         kept + layout.weights(task), kept + layout.rest(task),
                                         dLogits.data() + layout.weights(task), gradient(task, 1),
                                         gradient(task, 2));
               });
  if (prefix == 0) return;
  at::parallel_for(0, list.tasks(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t task = begin; task < end; ++task)
      prefixBackward(headAt(task), view, prefix, kept + layout.prefixRows(task),
                     rowsOf(dOutput, task), gradient(task, 0), gradient(task, 1),
                     gradient(task, 2));
  });
}

template <typename T>
void writeMaps(const T* kept, const HeadView& view, const HeadList& list, const HeadLogits& logits,
               std::int64_t heads, T* map) {
  const Kept layout(list, logits, view.tokens);
  const std::int64_t tokens = view.tokens;
  for (std::int64_t task = 0; task < list.tasks(); ++task) {
    const SelectedSets& sets = *logits.sets[list.head(task)];
    T* rows = map + (list.image(task) * heads + list.head(task)) * tokens * tokens;
    std::copy_n(kept + layout.prefixRows(task), sets.prefix * tokens, rows);
    for (std::int64_t n = sets.prefix; n < tokens; ++n) {
      std::fill_n(rows + n * tokens, tokens, kept[layout.rest(task) + n]);
      for (std::int32_t e = sets.rowStart[n]; e < sets.rowStart[n + 1]; ++e)
        rows[n * tokens + sets.columns[e]] = kept[layout.weights(task) + e];
    }
  }
}

template void forward(const float*, const HeadView&, const HeadList&, const HeadLogits&, float*,
                      float*);
template void forward(const double*, const HeadView&, const HeadList&, const HeadLogits&, double*,
                      double*);
template void backward(const float*, const float*, const float*, const float*, const HeadView&,
                       const HeadList&, const HeadLogits&, float*);
template void backward(const double*, const double*, const double*, const double*, const HeadView&,
                       const HeadList&, const HeadLogits&, double*);
template void writeMaps(const float*, const HeadView&, const HeadList&, const HeadLogits&,
                        std::int64_t, float*);
template void writeMaps(const double*, const HeadView&, const HeadList&, const HeadLogits&,
                        std::int64_t, double*);

}  // namespace headlight::linear
