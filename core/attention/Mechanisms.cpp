// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/Mechanisms.h"

#include <algorithm>
#include <type_traits>

#include "core/attention/aft/AftAttention.h"
#include "core/attention/aft/AftConv.h"
#include "core/attention/linear/LinearAngular.h"
#include "core/attention/softmax/GatedPositionalAttention.h"
#include "core/attention/softmax/LearnedMaskAttention.h"
#include "core/attention/softmax/LightSelfLimited.h"
#include "core/attention/softmax/MaskedAttention.h"
#include "core/attention/softmax/SoftmaxAttention.h"
#include "core/attention/softmax/TalkingHeadsAttention.h"
#include "core/attention/softmax/WindowAttention.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

/// A class that is constructed from AttentionOptions and counts its cost. Its heads can be masked
/// if it is a MaskedAttention.
template <typename M>
Mechanism mechanism(std::string name, std::string help, const ParameterTable* options = nullptr,
                    bool special = false) {
  constexpr bool kMaskable = std::is_base_of_v<MaskedAttention, M>;
  return {{std::move(name), std::move(help), options, kMaskable, {}, special},
          [](const AttentionOptions& o) { return std::make_shared<M>(o); },
          M::count};
}

}  // namespace

const std::vector<Mechanism>& mechanisms() {
  static const std::vector<Mechanism> all{
      mechanism<SoftmaxAttention>("softmax", "Softmax attention; heads can be masked (MaiT).",
                                  &SoftmaxAttention::optionTable()),
      mechanism<TalkingHeadsAttention>(
          "talking_heads", "Softmax attention whose heads are mixed before and after (CaiT)."),
      mechanism<LearnedMaskAttention>(
          "learned_mask", "Softmax attention times a learned mask that starts as a filter (IBiT).",
          &LearnedMaskAttention::optionTable()),
      mechanism<GatedPositionalAttention>(
          "gated_positional", "Content and position mixed by each head's gate (ConViT).",
          &GatedPositionalAttention::optionTable(), /*special=*/true),
      mechanism<WindowAttention>(
          "window", "Softmax attention within shifted windows, with relative positions (Swin).",
          &WindowAttention::optionTable()),
      mechanism<LightSelfLimitedAttention>(
          "lsla", "Light self-limited attention within shifted windows (ViT-LSLA).",
          &LightSelfLimitedAttention::optionTable()),
      mechanism<AftFull>("aft_full",
                         "Attention-free: keys and learned position biases weight the values of "
                         "all tokens, per feature (AFT).",
                         &AftFull::optionTable()),
      mechanism<AftLocal>("aft_local",
                          "AFT-full with position biases between neighboring patches only (AFT).",
                          &AftLocal::optionTable()),
      mechanism<AftSimple>("aft_simple",
                           "AFT without position biases: a softmax of the keys over the tokens.",
                           &AftSimple::optionTable()),
      mechanism<AftConv>("aft_conv",
                         "AFT with position biases shared over the image: any image size (AFT).",
                         &AftConv::optionTable()),
      mechanism<LinearAngular>("linear_angular",
                               "Linear-angular attention, with a masked softmax that helps only in "
                               "training (Castling-ViT).",
                               &LinearAngular::optionTable()),
  };
  return all;
}

const Mechanism& findMechanism(const std::string& name) {
  const auto& all = mechanisms();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Mechanism& m) { return m.variant.name == name; });
  if (found == all.end())
    throw Failure({ErrorCode::InvalidConfig, tr("unknown attention mechanism \"") + name + "\"",
                   "model.mechanism"});
  return *found;
}

std::shared_ptr<Attention> makeAttention(const std::string& name, const AttentionOptions& options) {
  return findMechanism(name).make(options);
}

}  // namespace headlight
