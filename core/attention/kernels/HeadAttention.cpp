#include "core/attention/kernels/HeadAttention.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include "core/attention/kernels/Blas.h"
#include "core/attention/kernels/DenseHeads.h"
#include "core/attention/kernels/LinearHeads.h"

namespace headlight {
namespace {

HeadView viewOf(const at::Tensor& qkv, std::int64_t heads) {
  const std::int64_t width = qkv.size(2) / 3;
  return {qkv.size(1), width, width / heads};
}

/// The heads of each kernel.
struct Split {
  Split(const HeadLogits& logits, std::int64_t batch) {
    dense.batch = linear.batch = batch;
    for (std::size_t h = 0; h < logits.rules.size(); ++h)
      (logits.isLinear(h) ? linear : dense).heads.push_back(static_cast<std::int64_t>(h));
  }
  HeadList dense, linear;
};

/// What an autograd context can carry of the rules and sets.
struct SavedLogits : torch::CustomClassHolder {
  HeadLogits logits;
};

struct Forward {
  at::Tensor output, map, kept;  ///< map of the dense heads [B, list, T, T]
};

Forward runForward(const at::Tensor& qkv, const HeadLogits& logits, const Split& split,
                   bool keepDense, bool keepLinear) {
  const HeadView view = viewOf(qkv, static_cast<std::int64_t>(logits.rules.size()));
  const linear::Kept layout(split.linear, logits, view.tokens);
  Forward result;
  result.output = at::empty({qkv.size(0), view.tokens, view.width}, qkv.options());
  result.map = at::empty(
      {keepDense ? qkv.size(0) : 0, split.dense.count(), view.tokens, view.tokens}, qkv.options());
  result.kept = at::empty({keepLinear ? layout.size() : 0}, qkv.options());
  AT_DISPATCH_FLOATING_TYPES(qkv.scalar_type(), "headAttention", [&] {
    const auto* values = qkv.data_ptr<scalar_t>();
    auto* output = result.output.data_ptr<scalar_t>();
    dense::forward(values, view, split.dense, logits, output,
                   keepDense ? result.map.data_ptr<scalar_t>() : nullptr);
    linear::forward(values, view, split.linear, logits, output,
                    keepLinear ? result.kept.data_ptr<scalar_t>() : nullptr);
  });
  return result;
}

/// [B, H, T, T] of both kernels' heads.
at::Tensor wholeMap(const Forward& forward, const at::Tensor& qkv, const HeadLogits& logits,
                    const Split& split) {
  if (split.linear.heads.empty()) return forward.map.detach();
  const auto heads = static_cast<std::int64_t>(logits.rules.size());
  const HeadView view = viewOf(qkv, heads);
  at::Tensor map = at::empty({qkv.size(0), heads, view.tokens, view.tokens}, qkv.options());
  for (std::int64_t i = 0; i < split.dense.count(); ++i)
    map.select(1, split.dense.heads[i]).copy_(forward.map.select(1, i));
  AT_DISPATCH_FLOATING_TYPES(qkv.scalar_type(), "wholeMap", [&] {
    linear::writeMaps(forward.kept.data_ptr<scalar_t>(), view, split.linear, logits, heads,
                      map.data_ptr<scalar_t>());
  });
  return map;
}

/// `alpha` is an argument of its own so that LibTorch sees that the output depends on it.
class FusedAttention : public torch::autograd::Function<FusedAttention> {
 public:
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const at::Tensor& qkvGiven, const at::Tensor& alpha,
                                                const HeadLogits& logits) {
    const at::Tensor qkv = qkvGiven.contiguous();
    const Split split(logits, qkv.size(0));
    const Forward result = runForward(qkv, logits, split, true, true);
    auto saved = c10::make_intrusive<SavedLogits>();
    saved->logits = logits;
    saved->logits.alpha = at::Tensor();  // saved as a variable
    context->saved_data["logits"] = at::IValue::make_capsule(saved);
    context->save_for_backward({qkv, alpha, result.map, result.kept, result.output});
    context->mark_non_differentiable({result.map, result.kept});
    return {result.output, result.map, result.kept};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &qkv = saved[0], &alpha = saved[1], &map = saved[2], &kept = saved[3],
                     &output = saved[4];
    const auto capsule = context->saved_data["logits"].toCapsule();
    HeadLogits logits = static_cast<const SavedLogits&>(*capsule).logits;
    logits.alpha = alpha;
    const Split split(logits, qkv.size(0));
    const HeadView view = viewOf(qkv, static_cast<std::int64_t>(logits.rules.size()));
    const at::Tensor dOutput = gradients[0].contiguous();
    at::Tensor dqkv = at::empty_like(qkv);
    at::Tensor dAlpha = at::zeros({qkv.size(0), split.dense.count()}, qkv.options());
    AT_DISPATCH_FLOATING_TYPES(qkv.scalar_type(), "FusedAttention", [&] {
      const auto *values = qkv.data_ptr<scalar_t>(), *dO = dOutput.data_ptr<scalar_t>();
      auto* gradient = dqkv.data_ptr<scalar_t>();
      dense::backward(values, map.data_ptr<scalar_t>(), dO, view, split.dense, logits, gradient,
                      dAlpha.data_ptr<scalar_t>());
      linear::backward(values, output.data_ptr<scalar_t>(), kept.data_ptr<scalar_t>(), dO, view,
                       split.linear, logits, gradient);
    });
    return {dqkv, alpha.numel() > 0 ? alphaGradient(dAlpha, alpha, split) : at::Tensor(),
            at::Tensor()};
  }

 private:
  /// [H]: summed over the batch, 0 for heads that do not blend.
  static at::Tensor alphaGradient(const at::Tensor& dAlpha, const at::Tensor& alpha,
                                  const Split& split) {
    at::Tensor result = at::zeros_like(alpha);
    const at::Tensor sums = dAlpha.sum(0);
    for (std::int64_t i = 0; i < split.dense.count(); ++i)
      result.select(0, split.dense.heads[i]).copy_(sums.select(0, i));
    return result;
  }
};

}  // namespace

bool fusedKernelsTake(const at::Tensor& qkv) {
  return blas::available() && qkv.device().is_cpu() &&
         (qkv.scalar_type() == at::kFloat || qkv.scalar_type() == at::kDouble);
}

AttentionOutput headAttention(const at::Tensor& qkv, int heads, const HeadLogits& logits,
                              bool wantMap) {
  if (!fusedKernelsTake(qkv)) return headAttentionPlain(qkv, heads, logits, wantMap);
  const bool differentiable =
      at::GradMode::is_enabled() &&
      (qkv.requires_grad() || (logits.alpha.defined() && logits.alpha.requires_grad()));
  const Split split(logits, qkv.size(0));
  if (!differentiable) {
    const at::NoGradGuard noGrad;
    const at::Tensor plain = qkv.contiguous();
    const Forward result = runForward(plain, logits, split, wantMap, wantMap);
    return {result.output, wantMap ? wholeMap(result, plain, logits, split) : at::Tensor()};
  }
  // LibTorch's Function takes no undefined tensor: an empty one stands for "no head blends".
  const at::Tensor alpha = logits.alpha.defined() ? logits.alpha : at::empty({0}, qkv.options());
  const auto outputs = FusedAttention::apply(qkv, alpha, logits);
  if (!wantMap) return {outputs[0], {}};
  const at::NoGradGuard noGrad;
  return {outputs[0], wholeMap({outputs[0], outputs[1], outputs[2]}, qkv, logits, split)};
}

}  // namespace headlight
