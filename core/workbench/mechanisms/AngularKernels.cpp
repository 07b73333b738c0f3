// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/mechanisms/AngularKernels.h"

#include <cmath>
#include <numbers>

namespace headlight {

double angularKernel(double angle) {
  return 1 - angle / std::numbers::pi;
}

double angularLinear(double angle) {
  return 0.5 + std::cos(angle) / std::numbers::pi;
}

double angularResidual(double angle) {
  return angularKernel(angle) - angularLinear(angle);
}

double angularPartial(double angle, int terms) {
  const double cosine = std::cos(angle);
  double sum = 0, product = 1, power = cosine;
  for (int k = 1; k <= terms; ++k) {  // (2k)!/(2^(2k) (k!)²) is the product of (2i − 1)/(2i)
    product *= (2.0 * k - 1) / (2.0 * k);
    power *= cosine * cosine;
    sum += product / (2.0 * k + 1) * power;
  }
  return angularLinear(angle) + sum / std::numbers::pi;
}

const std::vector<KernelInfo>& shownKernels() {
  static const std::vector<KernelInfo> all{
      {"linear_angular", "linear-angular",
       "The linear terms ½ + cos θ/π. In attention the ½ applies only to a token's own value.",
       true},
      {"cosine", "cosine", "cos θ (Hydra attention).", true},
      {"softmax", "softmax features",
       "A softmax over the features of a query times one of the keys over the tokens (efficient "
       "attention).",
       false},
      {"mean_centering", "mean centering",
       "The softmax's exponential to first order around the mean key (ViTALiTy).", false},
      {"relu_s", "ReLU-S", "ReLU(q)·ReLU(k), without a denominator.", false},
      {"relu_e", "ReLU-E", "ReLU(q)·ReLU(k) over its sum over the keys (EfficientViT).", false},
      {"attention", "softmax attention",
       "The softmax of q·k/√d over the keys, which the other kernels approximate; without masks, "
       "biases and other terms of the mechanism.",
       false},
  };
  return all;
}

double AngleTable::binAngle(int bin) const {
  return (bin + 0.5) * std::numbers::pi / bins();
}

}  // namespace headlight
