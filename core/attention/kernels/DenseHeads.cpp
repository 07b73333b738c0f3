#include "core/attention/kernels/DenseHeads.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>

#include "core/attention/kernels/Blas.h"
#include "core/attention/kernels/RowMath.h"

namespace headlight::dense {
namespace {

using blas::gemm;

constexpr bool kPlain = false, kTurned = true;  ///< how gemm reads an operand

/// Query rows handled at a time when the map is not kept: small enough for the second-level cache,
/// large enough for the matrix product.
constexpr std::int64_t kRowBlock = 64;

template <typename T>
struct MaskRows {
  LogitRule rule = LogitRule::Keep;
  const T* mask = nullptr;  ///< [T, T]
  T alpha = 0;

  void apply(T* s, std::int64_t firstRow, std::int64_t count, std::int64_t tokens) const {
    const T* m = mask + firstRow * tokens;
    if (rule == LogitRule::Forbid)
      rows::forbid(s, m, count * tokens);
    else if (rule != LogitRule::Keep)
      rows::blend(s, m, alpha, count * tokens);
  }
};

template <typename T>
std::vector<MaskRows<T>> maskRowsOf(const HeadLogits& logits) {
  std::vector<MaskRows<T>> rows(logits.rules.size());
  for (std::size_t h = 0; h < rows.size(); ++h) {
    rows[h].rule = logits.rules[h];
    if (rows[h].rule == LogitRule::Keep || logits.isLinear(h)) continue;
    TORCH_CHECK(logits.masks[h].is_contiguous(), "masks are contiguous");
    rows[h].mask = logits.masks[h].data_ptr<T>();
    if (rows[h].rule == LogitRule::Blend) rows[h].alpha = logits.alpha.data_ptr<T>()[h];
  }
  return rows;
}

/// s[count, T] = scale · Q[firstRow …] Kᵀ (row-major; BLAS sees the transpose).
template <typename T>
void logitRows(const HeadView& view, const T* q, const T* k, std::int64_t firstRow,
               std::int64_t count, T* s) {
  gemm(kTurned, kPlain, view.tokens, count, view.headWidth, scaleOf<T>(view), k, 3 * view.width,
       q + firstRow * 3 * view.width, 3 * view.width, T(0), s, view.tokens);
}

}  // namespace

template <typename T>
void forward(const T* qkv, const HeadView& view, const HeadList& list, const HeadLogits& logits,
             T* output, T* map) {
  const auto masks = maskRowsOf<T>(logits);
  const std::int64_t blocks = (view.tokens + kRowBlock - 1) / kRowBlock;
  at::parallel_for(0, list.tasks() * blocks, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<T> scratch(map ? 0 : kRowBlock * view.tokens);
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t image = list.image(task / blocks), head = list.head(task / blocks);
      const std::int64_t first = task % blocks * kRowBlock;
      const std::int64_t count = std::min(kRowBlock, view.tokens - first);
      T* s = map ? map + (task / blocks * view.tokens + first) * view.tokens : scratch.data();
      logitRows(view, view.part(qkv, image, head, 0), view.part(qkv, image, head, 1), first, count,
                s);
      masks[head].apply(s, first, count, view.tokens);
      rows::softmax(s, count, view.tokens);
      gemm(kPlain, kPlain, view.headWidth, count, view.tokens, T(1), view.part(qkv, image, head, 2),
           3 * view.width, s, view.tokens, T(0),
           view.rows(output, image, head) + first * view.width, view.width);
    }
  });
}

template <typename T>
void backward(const T* qkv, const T* map, const T* dOutput, const HeadView& view,
              const HeadList& list, const HeadLogits& logits, T* dqkv, T* dAlpha) {
  const auto masks = maskRowsOf<T>(logits);
  const std::int64_t tokens = view.tokens, size = tokens * tokens, wide = 3 * view.width;
  at::parallel_for(0, list.tasks(), 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<T> dS(size), s;
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t image = list.image(task), head = list.head(task);
      const T *q = view.part(qkv, image, head, 0), *k = view.part(qkv, image, head, 1),
              *v = view.part(qkv, image, head, 2), *a = map + task * size,
              *dO = view.rows(dOutput, image, head);
      // dV = Aᵀ dO, dA = dO Vᵀ
      gemm(kPlain, kTurned, view.headWidth, tokens, tokens, T(1), dO, view.width, a, tokens, T(0),
           view.part(dqkv, image, head, 2), wide);
      gemm(kTurned, kPlain, tokens, tokens, view.headWidth, T(1), v, wide, dO, view.width, T(0),
           dS.data(), tokens);
      rows::softmaxBackward(a, dS.data(), tokens, tokens);
      const auto& mask = masks[head];
      if (mask.rule == LogitRule::Blend) {
        s.resize(size);
        logitRows(view, q, k, 0, tokens, s.data());
        dAlpha[task] = static_cast<T>(rows::outsideDot(dS.data(), s.data(), mask.mask, size));
      }
      if (mask.rule == LogitRule::Blend || mask.rule == LogitRule::Multiply)
        rows::blend(dS.data(), mask.mask, mask.alpha, size);
      // dQ = dS K, dK = dSᵀ Q, both scaled
      gemm(kPlain, kPlain, view.headWidth, tokens, tokens, scaleOf<T>(view), k, wide, dS.data(),
           tokens, T(0), view.part(dqkv, image, head, 0), wide);
      gemm(kPlain, kTurned, view.headWidth, tokens, tokens, scaleOf<T>(view), q, wide, dS.data(),
           tokens, T(0), view.part(dqkv, image, head, 1), wide);
    }
  });
}

template void forward(const float*, const HeadView&, const HeadList&, const HeadLogits&, float*,
                      float*);
template void forward(const double*, const HeadView&, const HeadList&, const HeadLogits&, double*,
                      double*);
template void backward(const float*, const float*, const float*, const HeadView&, const HeadList&,
                       const HeadLogits&, float*, float*);
template void backward(const double*, const double*, const double*, const HeadView&,
                       const HeadList&, const HeadLogits&, double*, double*);

}  // namespace headlight::dense
