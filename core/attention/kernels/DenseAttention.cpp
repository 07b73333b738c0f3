#include "core/attention/kernels/DenseAttention.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>

#include "core/attention/kernels/Blas.h"
#include "core/attention/kernels/RowMath.h"

namespace headlight {
namespace {

using blas::gemm;

constexpr bool kPlain = false, kTurned = true;  ///< how gemm reads an operand

/// Query rows handled at a time when the map is not kept: small enough for the second-level cache,
/// large enough for the matrix product.
constexpr std::int64_t kRowBlock = 64;

/// Where one head of one image lies inside qkv, and inside anything laid out as [B, T, D].
struct HeadView {
  std::int64_t tokens, width, headWidth;

  template <typename T>
  T* part(T* qkv, std::int64_t image, std::int64_t head, int which) const {
    return qkv + image * tokens * 3 * width + which * width + head * headWidth;
  }
  template <typename T>
  T* rows(T* values, std::int64_t image, std::int64_t head) const {
    return values + image * tokens * width + head * headWidth;
  }
};

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
    if (rows[h].rule == LogitRule::Keep) continue;
    TORCH_CHECK(logits.masks[h].is_contiguous(), "masks are contiguous");
    rows[h].mask = logits.masks[h].data_ptr<T>();
    if (rows[h].rule == LogitRule::Blend) rows[h].alpha = logits.alpha.data_ptr<T>()[h];
  }
  return rows;
}

template <typename T>
T scaleOf(const HeadView& view) {
  return static_cast<T>(1.0 / std::sqrt(static_cast<double>(view.headWidth)));
}

/// s[count, T] = scale · Q[firstRow …] Kᵀ (row-major; BLAS sees the transpose).
template <typename T>
void logitRows(const HeadView& view, const T* q, const T* k, std::int64_t firstRow,
               std::int64_t count, T* s) {
  gemm(kTurned, kPlain, view.tokens, count, view.headWidth, scaleOf<T>(view), k, 3 * view.width,
       q + firstRow * 3 * view.width, 3 * view.width, T(0), s, view.tokens);
}

/// `map` is [B, H, T, T], or null where it is not to be kept.
template <typename T>
void forwardKernel(const T* qkv, const HeadView& view, std::int64_t batch, std::int64_t heads,
                   const std::vector<MaskRows<T>>& masks, T* output, T* map) {
  const std::int64_t blocks = (view.tokens + kRowBlock - 1) / kRowBlock;
  at::parallel_for(0, batch * heads * blocks, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<T> scratch(map ? 0 : kRowBlock * view.tokens);
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t image = task / blocks / heads, head = task / blocks % heads;
      const std::int64_t first = task % blocks * kRowBlock;
      const std::int64_t count = std::min(kRowBlock, view.tokens - first);
      T* s =
          map ? map + ((image * heads + head) * view.tokens + first) * view.tokens : scratch.data();
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

/// dqkv from dO; returns dα per image and head in dAlpha [B, H] where the head blends.
template <typename T>
void backwardKernel(const T* qkv, const T* map, const T* dOutput, const HeadView& view,
                    std::int64_t batch, std::int64_t heads, const std::vector<MaskRows<T>>& masks,
                    T* dqkv, T* dAlpha) {
  const std::int64_t tokens = view.tokens, size = tokens * tokens, wide = 3 * view.width;
  at::parallel_for(0, batch * heads, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<T> dS(size), s;
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t image = task / heads, head = task % heads;
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

HeadView viewOf(const at::Tensor& qkv, std::int64_t heads) {
  const std::int64_t width = qkv.size(2) / 3;
  return {qkv.size(1), width, width / heads};
}

/// `alpha` is an argument of its own so that LibTorch sees that the output depends on it.
class FusedAttention : public torch::autograd::Function<FusedAttention> {
 public:
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const at::Tensor& qkvGiven, const at::Tensor& alpha,
                                                const HeadLogits& logits) {
    const at::Tensor qkv = qkvGiven.contiguous();
    const auto heads = static_cast<std::int64_t>(logits.rules.size());
    const HeadView view = viewOf(qkv, heads);
    auto output = at::empty({qkv.size(0), view.tokens, view.width}, qkv.options());
    auto map = at::empty({qkv.size(0), heads, view.tokens, view.tokens}, qkv.options());
    AT_DISPATCH_FLOATING_TYPES(qkv.scalar_type(), "FusedAttention", [&] {
      forwardKernel<scalar_t>(qkv.data_ptr<scalar_t>(), view, qkv.size(0), heads,
                              maskRowsOf<scalar_t>(logits), output.data_ptr<scalar_t>(),
                              map.data_ptr<scalar_t>());
    });
    std::vector<std::int64_t> rules;
    for (const LogitRule rule : logits.rules)
      rules.push_back(static_cast<std::int64_t>(rule));
    context->save_for_backward({qkv, alpha, map});
    context->saved_data["rules"] = rules;
    context->saved_data["masks"] = logits.masks;
    context->mark_non_differentiable({map});
    return {output, map};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &qkv = saved[0], &alpha = saved[1], &map = saved[2];
    HeadLogits logits;
    for (const auto rule : context->saved_data["rules"].toIntVector())
      logits.rules.push_back(static_cast<LogitRule>(rule));
    logits.masks = context->saved_data["masks"].toTensorVector();
    logits.alpha = alpha;
    const at::Tensor dOutput = gradients[0].contiguous();
    const std::int64_t heads = map.size(1);
    at::Tensor dqkv = at::empty_like(qkv);
    at::Tensor dAlpha = at::zeros({qkv.size(0), heads}, qkv.options());
    AT_DISPATCH_FLOATING_TYPES(qkv.scalar_type(), "FusedAttention", [&] {
      backwardKernel<scalar_t>(qkv.data_ptr<scalar_t>(), map.data_ptr<scalar_t>(),
                               dOutput.data_ptr<scalar_t>(), viewOf(qkv, heads), qkv.size(0), heads,
                               maskRowsOf<scalar_t>(logits), dqkv.data_ptr<scalar_t>(),
                               dAlpha.data_ptr<scalar_t>());
    });
    return {dqkv, alpha.numel() > 0 ? dAlpha.sum(0) : at::Tensor(), at::Tensor()};
  }
};

AttentionOutput inferenceAttention(const at::Tensor& qkvGiven, std::int64_t heads,
                                   const HeadLogits& logits, bool wantMap) {
  const at::Tensor qkv = qkvGiven.contiguous();
  const HeadView view = viewOf(qkv, heads);
  AttentionOutput result{at::empty({qkv.size(0), view.tokens, view.width}, qkv.options()), {}};
  if (wantMap)
    result.map = at::empty({qkv.size(0), heads, view.tokens, view.tokens}, qkv.options());
  AT_DISPATCH_FLOATING_TYPES(qkv.scalar_type(), "inferenceAttention", [&] {
    forwardKernel<scalar_t>(qkv.data_ptr<scalar_t>(), view, qkv.size(0), heads,
                            maskRowsOf<scalar_t>(logits), result.output.data_ptr<scalar_t>(),
                            wantMap ? result.map.data_ptr<scalar_t>() : nullptr);
  });
  return result;
}

}  // namespace

AttentionOutput denseAttention(const at::Tensor& qkv, int heads, const HeadLogits& logits,
                               bool wantMap) {
  const bool fusible = blas::available() && qkv.device().is_cpu() &&
                       (qkv.scalar_type() == at::kFloat || qkv.scalar_type() == at::kDouble);
  if (!fusible) return denseAttentionPlain(qkv, heads, logits, wantMap);
  const bool differentiable =
      at::GradMode::is_enabled() &&
      (qkv.requires_grad() || (logits.alpha.defined() && logits.alpha.requires_grad()));
  if (!differentiable) {
    const at::NoGradGuard noGrad;
    return inferenceAttention(qkv, heads, logits, wantMap);
  }
  // LibTorch's Function takes no undefined tensor: an empty one stands for "no head blends".
  const at::Tensor alpha = logits.alpha.defined() ? logits.alpha : at::empty({0}, qkv.options());
  const auto outputs = FusedAttention::apply(qkv, alpha, logits);
  return {outputs[0], wantMap ? outputs[1].detach() : at::Tensor()};
}

}  // namespace headlight
