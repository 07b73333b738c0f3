// SPDX-License-Identifier: GPL-3.0-or-later

// AftAttention, continued: the pictures that AFT alone has, its position biases (Zhai et al. 2021,
// Fig. 1, 3 and 6 to 8) and its keys (Fig. 9 to 12); AftConv.h's too.

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "core/attention/aft/AftConv.h"

namespace headlight {
namespace {

constexpr const char *kBias = "position-bias", *kBiasWeight = "position-weight",
                     *kKernels = "kernel", *kKernelWeights = "kernel-weight", *kKeys = "keys";

/// −∞, which connects nothing, as nothing there.
at::Tensor connectedAlone(const at::Tensor& values, const at::Tensor& bias) {
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  return values.masked_fill(bias.eq(-std::numeric_limits<double>::infinity()), nothing);
}

MechanismPlotInfo keysInfo(const std::string& ofHead) {
  return {.name = kKeys,
          .title = "keys",
          .meaning =
              "What each patch weighs before any position bias: e^K over its sum over all "
              "tokens" +
              ofHead +
              ". The same for every query; where the model has a class token, its share is "
              "not drawn.",
          .source = "Zhai et al. 2021, Fig. 9 to 12",
          .kind = MechanismPlotKind::Heatmap,
          .ofPicture = true};
}

}  // namespace

std::vector<MechanismPlotInfo> AftAttention::ownPictures() const {
  return {keysInfo(", averaged over a group of features that stands for a head")};
}

MechanismPlotAnswer AftAttention::ownPicture(const std::string& /*name*/,
                                             const MechanismPlotQuestion& question) {
  const at::NoGradGuard noGrad;
  return {{{"", keyShares(question.tokens)}}};
}

std::vector<MechanismPlotInfo> AftFull::ownPictures() const {
  const std::string whole =
      " for every query (row) and key (column), a class token first; all heads share it";
  std::vector<MechanismPlotInfo> all{
      {.name = kBias,
       .title = "position biases w",
       .meaning = "The position bias w that is added to every key" + whole +
                  ". Learned, the same for every picture; grey: not connected.",
       .source = "Zhai et al. 2021, Eq. 2 and 7",
       .isSigned = true},
      {.name = kBiasWeight,
       .title = "position weights e^w − 1",
       .meaning = "What the position bias makes of the weight of a key, e^w − 1" + whole +
                  ": 0 changes nothing. Learned, the same for every picture; grey: not connected.",
       .source = "Zhai et al. 2021, Fig. 3",
       .isSigned = true}};
  const auto keys = AftAttention::ownPictures();
  all.insert(all.end(), keys.begin(), keys.end());
  return all;
}

MechanismPlotAnswer AftFull::ownPicture(const std::string& name,
                                        const MechanismPlotQuestion& question) {
  if (name == kKeys) return AftAttention::ownPicture(name, question);
  const at::NoGradGuard noGrad;
  const at::Tensor bias = positionBias();
  return {{{"", connectedAlone(name == kBias ? bias : bias.expm1(), bias).unsqueeze(0)}}};
}

std::vector<MechanismPlotInfo> AftConv::ownPictures() const {
  const std::string taps =
      std::string(" for every offset of a key from its query, which is the middle") +
      (m_own.reparametrise ? "; after the reparametrisation (Eq. 8)" : "") +
      (m_own.gumbel ? "; of each head its largest alone, as in inference (Eq. 10)" : "") +
      ". Learned, the same for every picture.";
  const std::string beyond =
      m_own.global ? "Patches further away have 0." : "Patches further away are not connected.";
  return {{.name = kKernels,
           .title = "kernels w",
           .meaning = "The position bias w" + taps + " " + beyond,
           .source = "Zhai et al. 2021, Eq. 6 and 8",
           .kind = MechanismPlotKind::Kernel,
           .isSigned = true},
          {.name = kKernelWeights,
           .title = "kernels e^w − 1",
           .meaning = "What the position bias makes of the weight of a key, e^w − 1," + taps + " " +
                      beyond,
           .source = "Zhai et al. 2021, Fig. 1 and 6 to 8",
           .kind = MechanismPlotKind::Kernel,
           .isSigned = true},
          keysInfo(" (K has one column a head)")};
}

MechanismPlotAnswer AftConv::ownPicture(const std::string& name,
                                        const MechanismPlotQuestion& question) {
  if (name == kKeys) return AftAttention::ownPicture(name, question);
  const at::NoGradGuard noGrad;
  return {{{"", name == kKernels ? positionBias() : positionBias().expm1()}}};
}

}  // namespace headlight
