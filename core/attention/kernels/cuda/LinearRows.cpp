// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/cuda/LinearRows.h"

// Without CUDA there is nothing here.
#ifdef HEADLIGHT_CUDA

#include <ATen/ATen.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <cmath>
#include <limits>

#include "core/attention/kernels/cuda/LinearHeadsKernels.h"
#include "core/attention/kernels/heads/GatheredHeads.h"
#include "core/attention/kernels/heads/SetTensors.h"

namespace headlight::cuda {
namespace {

/// What a group's kernels read, kept alive while they are called.
struct GroupOnDevice {
  GroupOnDevice(const at::Tensor& qkvGiven, std::int64_t headCount, const HeadGroup& group)
      : qkv(qkvGiven),
        heads(indexOn(qkv.device(), group.heads)),
        sets(compressedSets(group.sets, qkv.device())),
        images(qkv.size(0)),
        listed(heads.size(0)),
        tokens(qkv.size(1)),
        prefix(group.sets->prefix),
        layerHeads(headCount),
        width(qkv.size(2) / 3 / headCount),
        entries(group.sets->size()),
        strict(group.strict) {
    // Four warps a block, one a row: as many blocks as a launch can have.
    TORCH_CHECK(images * listed * tokens / 4 < std::numeric_limits<std::int32_t>::max(),
                "the batch has too many rows for one launch; use a smaller batch");
  }

  template <typename T>
  GroupView<T> view() const {
    return {qkv.data_ptr<T>(),
            heads.data_ptr<std::int64_t>(),
            sets.rowStart.data_ptr<std::int32_t>(),
            sets.columns.data_ptr<std::int32_t>(),
            sets.columnStart.data_ptr<std::int32_t>(),
            sets.rows.data_ptr<std::int32_t>(),
            sets.positions.data_ptr<std::int32_t>(),
            images,
            listed,
            tokens,
            prefix,
            layerHeads,
            width,
            entries,
            static_cast<T>(1.0 / std::sqrt(static_cast<double>(width))),
            strict};
  }
  /// [B, h, n, …].
  at::Tensor empty(std::initializer_list<std::int64_t> rest) const {
    std::vector<std::int64_t> shape{images, listed};
    shape.insert(shape.end(), rest);
    return at::empty(shape, qkv.options());
  }
  /// Σv [B, h, d].
  at::Tensor valueSums() const {
    return qkv.view({images, tokens, 3, layerHeads, width})
        .select(2, 2)
        .index_select(2, heads)
        .sum(1)
        .contiguous();
  }

  at::Tensor qkv, heads;  ///< qkv is contiguous
  CompressedSets sets;
  std::int64_t images, listed, tokens, prefix, layerHeads, width, entries;
  bool strict;
};

struct SavedGroup : torch::CustomClassHolder {
  HeadGroup group;
};

/// qkv → out [B, h, N, d] of the patch rows of a group; besides its weights a [B, h, E] and c
/// [B, h, N].
class LinearRows : public torch::autograd::Function<LinearRows> {
 public:
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const at::Tensor& qkvGiven, std::int64_t layerHeads,
                                                const HeadGroup& group) {
    const c10::cuda::CUDAGuard guard(qkvGiven.device());
    const GroupOnDevice heads(qkvGiven.contiguous(), layerHeads, group);
    const std::int64_t rows = heads.tokens - heads.prefix;
    const at::Tensor out = heads.empty({rows, heads.width}), weights = heads.empty({heads.entries}),
                     rest = heads.empty({rows}), valueSums = heads.valueSums();
    const auto stream = c10::cuda::getCurrentCUDAStream(qkvGiven.get_device());
    AT_DISPATCH_FLOATING_TYPES(qkvGiven.scalar_type(), "LinearRows", [&] {
      C10_CUDA_CHECK(forwardRows<scalar_t>(heads.view<scalar_t>(), valueSums.data_ptr<scalar_t>(),
                                           out.data_ptr<scalar_t>(), weights.data_ptr<scalar_t>(),
                                           rest.data_ptr<scalar_t>(), stream.stream()));
    });
    auto saved = c10::make_intrusive<SavedGroup>();
    saved->group = group;
    context->saved_data["group"] = at::IValue::make_capsule(saved);
    context->saved_data["heads"] = layerHeads;
    context->save_for_backward({heads.qkv, out, weights, rest});
    context->mark_non_differentiable({weights, rest});
    return {out, weights, rest};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &qkv = saved[0], &out = saved[1], &weights = saved[2], &rest = saved[3];
    const auto capsule = context->saved_data["group"].toCapsule();
    const HeadGroup& group = static_cast<const SavedGroup&>(*capsule).group;
    const c10::cuda::CUDAGuard guard(qkv.device());
    const GroupOnDevice heads(qkv, context->saved_data["heads"].toInt(), group);
    const at::Tensor dOut = gradients[0].contiguous();
    const at::Tensor restSums = at::matmul(rest.unsqueeze(2), dOut).contiguous();
    const at::Tensor dLogits = at::empty_like(weights), dqkv = at::zeros_like(qkv);
    const auto stream = c10::cuda::getCurrentCUDAStream(qkv.get_device());
    AT_DISPATCH_FLOATING_TYPES(qkv.scalar_type(), "LinearRows", [&] {
      const auto view = heads.view<scalar_t>();
      const auto *dO = dOut.data_ptr<scalar_t>(), *a = weights.data_ptr<scalar_t>();
      auto *dS = dLogits.data_ptr<scalar_t>(), *gradient = dqkv.data_ptr<scalar_t>();
      C10_CUDA_CHECK(backwardRows<scalar_t>(view, out.data_ptr<scalar_t>(), dO, a, dS, gradient,
                                            stream.stream()));
      C10_CUDA_CHECK(backwardKeys<scalar_t>(view, dO, restSums.data_ptr<scalar_t>(), a,
                                            rest.data_ptr<scalar_t>(), dS, gradient,
                                            stream.stream()));
    });
    return {dqkv, at::Tensor(), at::Tensor()};
  }
};

/// [B, h, N, T] of patch rows from a and c. For images only.
at::Tensor patchMap(const at::Tensor& weights, const at::Tensor& rest, const HeadGroup& group) {
  const auto sets = compressedSets(group.sets, weights.device());
  const std::int64_t tokens = group.sets->tokens, rows = rest.size(2);
  const at::Tensor token = at::empty_like(sets.rows).scatter_(0, sets.positions.to(at::kLong),
                                                              sets.rows);  // of every entry
  const at::Tensor place = (token.to(at::kLong) - group.sets->prefix) * tokens + sets.columns;
  at::Tensor map = rest.unsqueeze(-1)
                       .expand({rest.size(0), rest.size(1), rows, tokens})
                       .reshape({rest.size(0), rest.size(1), rows * tokens})
                       .clone();
  map.index_copy_(2, place, weights);
  return map.view({rest.size(0), rest.size(1), rows, tokens});
}

}  // namespace

ListedHeads linearRows(const at::Tensor& qkv, int heads, const HeadGroup& group, bool wantMap) {
  const auto patches = LinearRows::apply(qkv, static_cast<std::int64_t>(heads), group);
  std::vector<at::Tensor> outputs{patches[0]}, maps;
  if (wantMap) maps.push_back(patchMap(patches[1].detach(), patches[2].detach(), group));
  if (group.sets->prefix > 0) {
    const ListedHeads prefix = gathered::prefixRows(qkv, heads, group, wantMap);
    outputs.insert(outputs.begin(), prefix.output);
    if (wantMap) maps.insert(maps.begin(), prefix.map);
  }
  return {at::cat(outputs, 2), wantMap ? at::cat(maps, 2) : at::Tensor()};
}

}  // namespace headlight::cuda

#endif
