// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/Mechanisms.h"

#include <algorithm>
#include <type_traits>

#include "core/attention/aft/AftAttention.h"
#include "core/attention/aft/AftConv.h"
#include "core/attention/linear/AgentAttention.h"
#include "core/attention/linear/FocusedLinear.h"
#include "core/attention/linear/LambdaLayer.h"
#include "core/attention/linear/LinearAngular.h"
#include "core/attention/linear/LinearTransformer.h"
#include "core/attention/linear/MagnitudeAware.h"
#include "core/attention/linear/Performer.h"
#include "core/attention/linear/RankAugmented.h"
#include "core/attention/linear/TaylorShift.h"
#include "core/attention/softmax/DifferentialAttention.h"
#include "core/attention/softmax/GatedAttention.h"
#include "core/attention/softmax/GatedPositionalAttention.h"
#include "core/attention/softmax/LearnedMaskAttention.h"
#include "core/attention/softmax/LightSelfLimited.h"
#include "core/attention/softmax/MaskedAttention.h"
#include "core/attention/softmax/SoftmaxAttention.h"
#include "core/attention/softmax/Synthesizer.h"
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

template <typename M>
Mechanism compared(std::string name, std::string help, const ParameterTable* options = nullptr) {
  Mechanism made = mechanism<M>(std::move(name), std::move(help), options);
  made.variant.comparison = true;
  return made;
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
      compared<FocusedLinear>("focused_linear",
                              "Linear attention with a focused function that keeps norms, and a "
                              "convolution of the values (FLatten).",
                              &FocusedLinear::optionTable()),
      compared<RankAugmented>("rank_augmented",
                              "Linear attention whose keys are weighed by the mean query and whose "
                              "output is multiplied by the tokens (RALA).",
                              &RankAugmented::optionTable()),
      compared<MagnitudeAware>("magnitude_aware",
                               "Linear attention that sharpens with the length of the query "
                               "(MALA).",
                               &MagnitudeAware::optionTable()),
      compared<AgentAttention>("agent",
                               "Softmax attention in two steps, by pooled queries as agents "
                               "(Agent Attention).",
                               &AgentAttention::optionTable()),
      compared<TaylorShift>("taylor_shift",
                            "Taylor softmax over unit queries and keys: direct, or efficient for "
                            "many tokens (TaylorShift).",
                            &TaylorShift::optionTable()),
      compared<DifferentialAttention>(
          "differential",
          "The difference of two softmaxes; heads can be masked (Differential Transformer)."),
      compared<GatedAttention>(
          "gated_softmax",
          "Softmax attention with a sigmoid gate on its output; heads can be masked (Gated "
          "Attention).",
          &GatedAttention::optionTable()),
      compared<LinearTransformer>("linear_transformer",
                                  "Products of elu(q) + 1 and elu(k) + 1 in place of the softmax, "
                                  "linear in the tokens (Linear Transformer)."),
      compared<Performer>("performer",
                          "Softmax attention estimated by random features, linear in the tokens "
                          "(Performer).",
                          &Performer::optionTable()),
      compared<Synthesizer>("synthesizer",
                            "Softmax of logits that come from each token alone, or from positions "
                            "alone (Synthesizer).",
                            &Synthesizer::optionTable()),
      compared<LambdaLayer>("lambda",
                            "Linear maps of the context by content and position, applied to the "
                            "queries (Lambda Networks).",
                            &LambdaLayer::optionTable()),
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
