// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/kernels/BandSums.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <vector>

#include "core/attention/kernels/Blas.h"

namespace headlight {
namespace {

using blas::gemm;

/// What a row of the grid has to do with: `count` tokens from `first` on, which stand in the
/// columns of the band from `column` on.
struct Near {
  std::int64_t first, count, column;
};

Near nearRow(const GridBand& band, std::int64_t row) {
  const std::int64_t top = std::max<std::int64_t>(0, row - band.reach),
                     bottom = std::min(band.rows - 1, row + band.reach);
  return {top * band.cols, (bottom + 1 - top) * band.cols, (top - row + band.reach) * band.cols};
}

/// Row-major operands of one pass; BLAS sees their transposes. Tokens of an image lie `stride`
/// values behind those of the one before.
template <typename T>
struct BandPass {
  GridBand band;
  std::int64_t images, width, extras;  ///< B, C, E

  const T* weightsOf(const T* weights, std::int64_t row, const Near& near) const {
    return weights + row * band.cols * band.columns() + near.column;
  }

  /// out[B, N, C] from x: what a row takes from those near it, and of the terms, where there are
  /// any.
  void sums(const T* weights, const T* x, std::int64_t stride, const T* factors, const T* terms,
            T* out) const {
    at::parallel_for(0, images * band.rows, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t task = begin; task < end; ++task) {
        const std::int64_t image = task / band.rows, row = task % band.rows;
        const Near near = nearRow(band, row);
        T* here = out + (image * band.tokens() + row * band.cols) * width;
        gemm(false, false, width, band.cols, near.count, T(1),
             x + image * stride + near.first * width, width, weightsOf(weights, row, near),
             band.columns(), T(0), here, width);
        if (factors && extras > 0)
          gemm(false, false, width, band.cols, extras, T(1), terms + task * extras * width, width,
               factors + row * band.cols * extras, extras, T(1), here, width);
      }
    });
  }

  /// Gradients of the weights and the factors, over all images; both begin as zeros.
  void ofWeights(const T* gradient, const T* x, std::int64_t stride, const T* terms, T* weights,
                 T* factors) const {
    at::parallel_for(0, band.rows, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row)
        for (std::int64_t image = 0; image < images; ++image) {
          const Near near = nearRow(band, row);
          const T* incoming = gradient + (image * band.tokens() + row * band.cols) * width;
          gemm(true, false, near.count, band.cols, width, T(1),
               x + image * stride + near.first * width, width, incoming, width, T(1),
               const_cast<T*>(weightsOf(weights, row, near)), band.columns());
          if (extras > 0)
            gemm(true, false, extras, band.cols, width, T(1),
                 terms + (image * band.rows + row) * extras * width, width, incoming, width, T(1),
                 factors + row * band.cols * extras, extras);
        }
    });
  }

  void ofTerms(const T* gradient, const T* factors, T* terms) const {
    if (extras == 0) return;
    at::parallel_for(0, images * band.rows, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t task = begin; task < end; ++task)
        gemm(false, true, width, extras, band.cols, T(1), gradient + task * band.cols * width,
             width, factors + task % band.rows * band.cols * extras, extras, T(0),
             terms + task * extras * width, width);
    });
  }
};

/// The weights as keys see them: of token n, its share in each token of the rows near it.
at::Tensor turned(const at::Tensor& weights, const GridBand& band) {
  const std::int64_t span = 2 * band.reach + 1;
  const at::Tensor rows = at::constant_pad_nd(weights.view({band.rows, band.cols, span, band.cols}),
                                              {0, 0, 0, 0, 0, 0, band.reach, band.reach});
  std::vector<at::Tensor> parts;
  for (std::int64_t i = 0; i < span; ++i)
    parts.push_back(rows.slice(0, i, i + band.rows).select(2, span - 1 - i).transpose(1, 2));
  return at::stack(parts, 2).view_as(weights);
}

class BandSums : public torch::autograd::Function<BandSums> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& weights,
                            const at::Tensor& x, const at::Tensor& factors, const at::Tensor& terms,
                            const GridBand& band) {
    context->save_for_backward({weights, x, factors, terms});
    context->saved_data["band"] = std::vector<std::int64_t>{band.rows, band.cols, band.reach};
    at::Tensor out = at::empty({x.size(0), x.size(1), x.size(2)}, x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "bandSums", [&] {
      const BandPass<scalar_t> pass{band, x.size(0), x.size(2), factors.size(1)};
      pass.sums(weights.data_ptr<scalar_t>(), x.data_ptr<scalar_t>(), x.stride(0),
                factors.data_ptr<scalar_t>(), terms.data_ptr<scalar_t>(), out.data_ptr<scalar_t>());
    });
    return out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const std::vector<std::int64_t> sides = context->saved_data["band"].toIntVector();
    const GridBand band{sides[0], sides[1], sides[2]};
    const at::Tensor &weights = saved[0], &x = saved[1], &factors = saved[2], &terms = saved[3],
                     gradient = gradients[0].contiguous(), across = turned(weights, band);
    at::Tensor dWeights = at::zeros_like(weights), dFactors = at::zeros_like(factors),
               dX = at::empty(x.sizes(), x.options()), dTerms = at::empty_like(terms);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "bandSums", [&] {
      const BandPass<scalar_t> pass{band, x.size(0), x.size(2), factors.size(1)};
      const auto* incoming = gradient.data_ptr<scalar_t>();
      pass.ofWeights(incoming, x.data_ptr<scalar_t>(), x.stride(0), terms.data_ptr<scalar_t>(),
                     dWeights.data_ptr<scalar_t>(), dFactors.data_ptr<scalar_t>());
      pass.ofTerms(incoming, factors.data_ptr<scalar_t>(), dTerms.data_ptr<scalar_t>());
      pass.sums(across.data_ptr<scalar_t>(), incoming, gradient.stride(0), nullptr, nullptr,
                dX.data_ptr<scalar_t>());
    });
    return {dWeights, dX, dFactors, dTerms, at::Tensor()};
  }
};

/// Rows whole in memory, whatever lies between images.
at::Tensor withWholeRows(const at::Tensor& x) {
  return x.stride(2) == 1 && x.stride(1) == x.size(2) ? x : x.contiguous();
}

}  // namespace

at::Tensor bandSums(const at::Tensor& weights, const at::Tensor& x, const at::Tensor& factors,
                    const at::Tensor& terms, const GridBand& band) {
  return BandSums::apply(weights.contiguous(), withWholeRows(x), factors.contiguous(),
                         terms.contiguous(), band);
}

}  // namespace headlight
