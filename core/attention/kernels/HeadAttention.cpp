// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/HeadAttention.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include "core/attention/base/MixedPrecision.h"
#include "core/attention/kernels/Blas.h"
#include "core/attention/kernels/DenseHeads.h"
#include "core/attention/kernels/DeviceHeads.h"
#include "core/attention/kernels/KernelChoice.h"
#include "core/attention/kernels/LinearHeads.h"

namespace headlight {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

HeadView viewOf(const HeadInputs& inputs) {
  return {inputs.keys, inputs.heads * inputs.keyWidth, inputs.keyWidth};
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

/// Runs `kernels` with a number of the type that is computed in and one of that in which heads are
/// kept.
template <typename Kernels>
void dispatch(at::ScalarType kept, const Kernels& kernels) {
  if (kept == at::kBFloat16) return kernels(float(), std::uint16_t());
  AT_DISPATCH_FLOATING_TYPES(kept, "headAttention", [&] { kernels(scalar_t(), scalar_t()); });
}

template <typename T>
T* dataOrNull(const at::Tensor& tensor) {
  return tensor.defined() && tensor.numel() > 0 ? tensor.data_ptr<T>() : nullptr;
}

struct Forward {
  at::Tensor output;
  at::Tensor map;    ///< of the dense heads [B, list, Tq, Tk]
  at::Tensor stats;  ///< of the dense heads [B, list, kStats, Tq]
  at::Tensor kept;   ///< of the linear heads
  at::Tensor stays;  ///< HeadsAboveLeast's; empty without a least weight
};

/// From how many weights of each row stay.
at::Tensor fractionThatStays(const at::Tensor& stats, const HeadInputs& inputs) {
  return stats.select(2, dense::kStats - 1).mean() / static_cast<double>(inputs.keys);
}

Forward runForward(dense::Arithmetic arithmetic, const HeadInputs& inputs, const HeadLogits& logits,
                   const Split& split, bool wantMap, bool keep) {
  TORCH_CHECK(split.linear.heads.empty() || (inputs.isTimm() && !logits.hasTerms()),
              "the linear-time kernel takes heads packed as timm's, without terms");
  const linear::Kept layout(split.linear, logits, inputs.keys);
  const at::TensorOptions like = inputs.options().requires_grad(false);
  const std::int64_t list = split.dense.count();
  const auto make = [&](bool wanted, std::vector<std::int64_t> sizes) {
    if (!wanted) sizes = {0};
    return at::empty(sizes, inFloat32(like));
  };
  Forward result;
  result.output = at::empty({inputs.batch, inputs.queries, inputs.heads * inputs.valueWidth}, like);
  result.map = make(wantMap, {inputs.batch, list, inputs.queries, inputs.keys});
  result.stats =
      make(keep || logits.dropsWeights(), {inputs.batch, list, dense::kStats, inputs.queries});
  result.kept = make(keep || wantMap, {layout.size()});
  dispatch(result.output.scalar_type(), [&]<typename T, typename Kept>(T, Kept) {
    auto* output = dataOf<Kept>(result.output);
    dense::forward(arithmetic, inputs, split.dense, logits, output, dataOrNull<T>(result.map),
                   dataOrNull<T>(result.stats));
    if constexpr (std::is_same_v<T, Kept>)
      if (!split.linear.heads.empty())
        linear::forward(dataOf<T>(inputs.tensor(0)), viewOf(inputs), split.linear, logits, output,
                        dataOrNull<T>(result.kept));
  });
  result.stays =
      logits.dropsWeights() ? fractionThatStays(result.stats, inputs) : at::empty({0}, like);
  return result;
}

/// [B, H, Tq, Tk] of both kernels' heads.
at::Tensor wholeMap(const Forward& forward, const HeadInputs& inputs, const HeadLogits& logits,
                    const Split& split) {
  if (split.linear.heads.empty()) return forward.map;
  at::Tensor map =
      at::empty({inputs.batch, inputs.heads, inputs.queries, inputs.keys}, forward.map.options());
  for (std::int64_t i = 0; i < split.dense.count(); ++i)
    map.select(1, split.dense.heads[i]).copy_(forward.map.select(1, i));
  AT_DISPATCH_FLOATING_TYPES(map.scalar_type(), "wholeMap", [&] {
    linear::writeMaps(forward.kept.data_ptr<scalar_t>(), viewOf(inputs), split.linear, logits,
                      inputs.heads, map.data_ptr<scalar_t>());
  });
  return map;
}

/// What the autograd function sees as arguments, in this order: q, k, v (or one packed tensor),
/// then what is differentiable of the logits. LibTorch's Function takes no undefined tensor: an
/// empty one stands for it.
constexpr std::size_t kInputs = 3, kArguments = 9;

std::array<at::Tensor, kArguments> argumentsOf(const HeadInputs& inputs, const HeadLogits& logits) {
  std::array<at::Tensor, kArguments> all{inputs.tensor(0),    inputs.tensor(1), inputs.tensor(2),
                                         logits.alpha,        logits.factor,    logits.bias,
                                         logits.weightFactor, logits.rowTerms,  logits.colTerms};
  const at::Tensor none = at::empty({0}, inputs.options().requires_grad(false));
  for (at::Tensor& tensor : all)
    if (!tensor.defined()) tensor = none;
  return all;
}

/// What a call is about. An autograd context carries it without the tensors that autograd must see,
/// and has them put back.
struct Layer : torch::CustomClassHolder {
  Layer(dense::Arithmetic givenArithmetic, HeadInputs givenInputs, HeadLogits givenLogits)
      : arithmetic(givenArithmetic),
        inputs(std::move(givenInputs)),
        logits(std::move(givenLogits)),
        factorLearns(learns(logits.factor)),
        biasLearns(learns(logits.bias)),
        weightFactorLearns(learns(logits.weightFactor)),
        termsLearn(learns(logits.rowTerms) || learns(logits.colTerms)) {}

  void forgetTensors() { set(std::vector<at::Tensor>(kArguments)); }

  /// From arguments, or what was saved of them.
  void set(const std::vector<at::Tensor>& all) {
    const auto orNone = [&](std::size_t i) {
      return all[i].defined() && all[i].numel() > 0 ? all[i] : at::Tensor();
    };
    inputs = inputs.over({orNone(0), orNone(1), orNone(2)});
    std::size_t i = kInputs;
    for (at::Tensor* tensor : {&logits.alpha, &logits.factor, &logits.bias, &logits.weightFactor,
                               &logits.rowTerms, &logits.colTerms})
      *tensor = orNone(i++);
  }

  static bool learns(const at::Tensor& tensor) {
    return tensor.defined() && tensor.requires_grad();
  }

  dense::Arithmetic arithmetic;
  HeadInputs inputs;
  HeadLogits logits;
  bool factorLearns, biasLearns, weightFactorLearns, termsLearn;
};

/// As the kernels read them.
void makeContiguous(Layer& layer) {
  layer.inputs = layer.inputs.forKernels();
  for (at::Tensor* tensor : {&layer.logits.factor, &layer.logits.bias, &layer.logits.weightFactor,
                             &layer.logits.rowTerms, &layer.logits.colTerms, &layer.logits.apart})
    if (tensor->defined()) *tensor = tensor->contiguous();
}

/// Sums over chunks [chunks, list, Tq, Tk] as the gradient of a tensor [H or 1, Tq, Tk].
at::Tensor overChunks(const at::Tensor& sums, const at::Tensor& like) {
  const at::Tensor byHead = sums.sum(0);
  return like.size(0) == 1 ? byHead.sum(0, /*keepdim=*/true) : byHead;
}

class FusedAttention : public torch::autograd::Function<FusedAttention> {
 public:
  static variable_list forward(AutogradContext* context, const at::Tensor& a, const at::Tensor& b,
                               const at::Tensor& c, const at::Tensor& d, const at::Tensor& e,
                               const at::Tensor& f, const at::Tensor& g, const at::Tensor& h,
                               const at::Tensor& i, const c10::intrusive_ptr<Layer>& given,
                               bool wantMap) {
    Layer layer = *given;
    layer.set({a, b, c, d, e, f, g, h, i});
    makeContiguous(layer);
    const Split split(layer.logits, layer.inputs.batch);
    const Forward result =
        runForward(layer.arithmetic, layer.inputs, layer.logits, split, wantMap, true);
    const auto arguments = argumentsOf(layer.inputs, layer.logits);
    variable_list saved(arguments.begin(), arguments.end());
    saved.insert(saved.end(), {result.stats, result.kept, result.output});
    context->save_for_backward(saved);
    context->saved_data["layer"] = at::IValue::make_capsule(given);
    at::Tensor map = wantMap ? wholeMap(result, layer.inputs, layer.logits, split)
                             : at::empty({0}, result.output.options());
    context->mark_non_differentiable({map, result.stays});
    return {result.output, map, result.stays};
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto capsule = context->saved_data["layer"].toCapsule();
    Layer layer = static_cast<const Layer&>(*capsule);
    layer.set(saved);
    makeContiguous(layer);
    variable_list result(kArguments + 2);
    const Kept kept{saved[kArguments], saved[kArguments + 1], saved[kArguments + 2]};
    const at::Tensor dOutput = gradients[0].to(kept.output.scalar_type()).contiguous();
    dispatch(dOutput.scalar_type(), [&]<typename T, typename KeptIn>(T, KeptIn) {
      run<T, KeptIn>(layer, kept, dOutput, result);
    });
    return result;
  }

 private:
  struct Kept {
    at::Tensor stats, linear, output;
  };

  template <typename T, typename KeptIn>
  static void run(const Layer& layer, const Kept& kept, const at::Tensor& dOutput,
                  variable_list& result) {
    const auto& [inputs, logits] = std::tie(layer.inputs, layer.logits);
    const Split split(logits, inputs.batch);
    const HeadInputs dInputs = inputs.emptyLike();
    const at::TensorOptions like = inFloat32(dOutput.options());
    const std::vector<std::int64_t> sums{dense::countChunks(split.dense), split.dense.count(),
                                         inputs.queries, inputs.keys};
    // What layers do not have, or nobody asks for, stays undefined, and null.
    at::Tensor dAlpha, dFactor, dBias, dWeightFactor, dRowTerms, dColTerms;
    if (logits.alpha.defined()) dAlpha = at::zeros({inputs.batch, split.dense.count()}, like);
    if (layer.factorLearns) dFactor = at::zeros(sums, like);
    if (layer.biasLearns) dBias = at::zeros(sums, like);
    if (layer.weightFactorLearns) dWeightFactor = at::zeros(sums, like);
    if (layer.termsLearn) {
      dRowTerms = at::empty_like(logits.rowTerms);
      dColTerms = at::empty_like(logits.colTerms);
    }
    dense::backward<T, KeptIn>(
        layer.arithmetic, inputs, dataOrNull<T>(kept.stats), dataOf<KeptIn>(dOutput), split.dense,
        logits, dInputs,
        {dataOrNull<T>(dAlpha), dataOrNull<T>(dFactor), dataOrNull<T>(dBias),
         dataOrNull<T>(dWeightFactor), dataOrNull<T>(dRowTerms), dataOrNull<T>(dColTerms)});
    if constexpr (std::is_same_v<T, KeptIn>)
      if (!split.linear.heads.empty())
        linear::backward(dataOf<T>(inputs.tensor(0)), dataOf<T>(kept.output),
                         dataOrNull<T>(kept.linear), dataOf<T>(dOutput), viewOf(inputs),
                         split.linear, logits, dataOf<T>(dInputs.tensor(0)));
    for (std::int64_t i = 0; i < inputs.tensorCount(); ++i)
      result[i] = dInputs.tensor(i);
    if (dAlpha.defined()) result[kInputs] = alphaGradient(dAlpha, logits.alpha, split);
    if (dFactor.defined()) result[kInputs + 1] = overChunks(dFactor, logits.factor);
    if (dBias.defined()) result[kInputs + 2] = overChunks(dBias, logits.bias);
    if (dWeightFactor.defined())
      result[kInputs + 3] = overChunks(dWeightFactor, logits.weightFactor);
    result[kInputs + 4] = dRowTerms;
    result[kInputs + 5] = dColTerms;
  }

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

dense::Arithmetic arithmeticOf(const HeadInputs& inputs) {
  const bool isNarrow = precisionNow(inputs.tensor(0).device()) == Precision::BFloat16;
  return isNarrow && narrow::available() ? dense::Arithmetic::BFloat16 : dense::Arithmetic::Own;
}

HeadsAboveLeast runFused(const HeadInputs& inputs, const HeadLogits& logits, bool wantMap) {
  TORCH_CHECK(!logits.dropsWeights() || !logits.weightFactor.defined(),
              "weights have a factor or a least one");
  const dense::Arithmetic arithmetic = arithmeticOf(inputs);
  auto layer = c10::make_intrusive<Layer>(arithmetic, inputs, logits);
  if (at::GradMode::is_enabled() && (inputs.requiresGrad() || logits.requiresGrad())) {
    const auto t = argumentsOf(inputs, logits);
    layer->forgetTensors();
    const auto outputs =
        FusedAttention::apply(t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], layer, wantMap);
    return {{outputs[0], wantMap ? outputs[1] : at::Tensor()}, outputs[2]};
  }
  const at::NoGradGuard noGrad;
  makeContiguous(*layer);
  const Split split(logits, inputs.batch);
  const Forward result =
      runForward(arithmetic, layer->inputs, layer->logits, split, wantMap, false);
  return {{result.output,
           wantMap ? wholeMap(result, layer->inputs, layer->logits, split) : at::Tensor()},
          result.stays};
}

}  // namespace

bool fusedKernelsTake(const at::Tensor& tokens) {
  const at::ScalarType type = tokens.scalar_type();
  return !PlainKernels::wanted() && blas::available() && tokens.device().is_cpu() &&
         (type == at::kFloat || type == at::kDouble ||
          (type == at::kBFloat16 && narrow::available()));
}

HeadInputs asKernelsRead(const HeadInputs& inputs, const HeadLogits& logits) {
  bool linear = false;
  for (std::size_t h = 0; h < logits.rules.size(); ++h)
    linear = linear || logits.isLinear(h);
  if (!linear && fusedKernelsTake(inputs.tensor(0))) return inputs;
  return inputs.over(
      {inFloat32(inputs.tensor(0)), inFloat32(inputs.tensor(1)), inFloat32(inputs.tensor(2))});
}

AttentionOutput headAttention(const HeadInputs& given, const HeadLogits& logits, bool wantMap) {
  const HeadInputs inputs = asKernelsRead(given, logits);
  if (!fusedKernelsTake(inputs.tensor(0))) return headAttentionOnDevice(inputs, logits, wantMap);
  return runFused(inputs, logits, wantMap).heads;
}

HeadsAboveLeast headAttentionAboveLeast(const HeadInputs& given, const HeadLogits& logits,
                                        bool wantMap) {
  const HeadInputs inputs = asKernelsRead(given, logits);
  if (fusedKernelsTake(inputs.tensor(0))) return runFused(inputs, logits, wantMap);
  const AttentionOutput all = headAttentionOnDevice(inputs, logits, true);
  return {{all.output, wantMap ? all.map : at::Tensor()}, all.map.ne(0).to(at::kFloat).mean()};
}

}  // namespace headlight
