// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/aft/AftPlots.h"

#include <ATen/ATen.h>

#include <limits>

#include "core/attention/aft/AftConv.h"

namespace headlight {
namespace {

constexpr const char *kBias = "position-bias", *kBiasWeight = "position-weight",
                     *kKernels = "kernel", *kKernelWeights = "kernel-weight";

/// −∞, which connects nothing, as nothing there.
at::Tensor connectedAlone(const at::Tensor& values, const at::Tensor& bias) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  return values.masked_fill(bias.eq(-std::numeric_limits<double>::infinity()), nothing);
}

}  // namespace

MechanismPlotInfo aftKeysPlot(const std::string& perHead) {
  return {.name = kAftKeysPlot,
          .title = "keys",
          .meaning =
              "The weight of each patch before any position bias: e^K divided by its sum over all "
              "tokens" +
              perHead + ". The same for every query; the share of a class token is not drawn.",
          .source = "Zhai et al. 2021, Fig. 9 to 12",
          .kind = MechanismPlotKind::Heatmap,
          .ofImage = true};
}

std::vector<MechanismPlotInfo> aftBiasPlots() {
  const std::string whole =
      " for every query (row) and key (column), a class token first; all heads share it";
  return {
      {.name = kBias,
       .title = "position biases w",
       .meaning = "The position bias w added to every key" + whole +
                  ". Learned, the same for every image; gray: not connected.",
       .source = "Zhai et al. 2021, Eq. 2 and 7",
       .isSigned = true},
      {.name = kBiasWeight,
       .title = "position weights e^w − 1",
       .meaning = "The effect of the position bias on a key's weight, e^w − 1" + whole +
                  ": 0 changes nothing. Learned, the same for every image; gray: not connected.",
       .source = "Zhai et al. 2021, Fig. 3",
       .isSigned = true}};
}

MechanismPlotAnswer aftBiasPlot(const std::string& name, const at::Tensor& bias) {
  return {{{"", connectedAlone(name == kBias ? bias : bias.expm1(), bias).unsqueeze(0)}}};
}

std::vector<MechanismPlotInfo> aftKernelPlots(const AftConvOptions& options) {
  const std::string taps =
      std::string(" for every offset of a key from its query, which is the center") +
      (options.reparametrize ? "; after the reparametrization (Eq. 8)" : "") +
      (options.gumbel ? "; only the largest tap of each head, as in inference (Eq. 10)" : "") +
      ". Learned, the same for every image.";
  const std::string beyond =
      options.global ? "Patches further away have 0." : "Patches further away are not connected.";
  return {{.name = kKernels,
           .title = "kernels w",
           .meaning = "The position bias w" + taps + " " + beyond,
           .source = "Zhai et al. 2021, Eq. 6 and 8",
           .kind = MechanismPlotKind::Kernel,
           .isSigned = true},
          {.name = kKernelWeights,
           .title = "kernels e^w − 1",
           .meaning =
               "The effect of the position bias on a key's weight, e^w − 1," + taps + " " + beyond,
           .source = "Zhai et al. 2021, Fig. 1 and 6 to 8",
           .kind = MechanismPlotKind::Kernel,
           .isSigned = true}};
}

MechanismPlotAnswer aftKernelPlot(const std::string& name, const at::Tensor& bias) {
  return {{{"", name == kKernels ? bias : bias.expm1()}}};
}

}  // namespace headlight
