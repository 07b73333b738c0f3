// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which part of a model is replaced, by what, and what is watched. No torch type here.

#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/config/Parameter.h"

namespace headlight {

enum class InterventionSite {
  Residual,   ///< the tokens that enter a block
  Attention,  ///< what its attention adds to them
  Mlp,        ///< what its MLP adds to them
  Heads,      ///< what its heads give, before their projection
  Pattern,    ///< the attention weights of its heads
};

/// A part of a model: one site of one layer, or a piece of it.
struct Intervention {
  InterventionSite site = InterventionSite::Heads;
  int layer = 0;
  int head = -1;   ///< −1: all; of heads and pattern alone
  int token = -1;  ///< −1: all; of a pattern the token that looks
  bool operator==(const Intervention&) const = default;
};

struct InterventionOptions {
  std::string site = "heads";         ///< residual | attention | mlp | heads | pattern
  std::string across = "auto";        ///< auto | layers | heads | tokens: columns of a sweep
  std::string replace = "zero";       ///< zero | mean | image
  std::string direction = "denoise";  ///< denoise | noise, with another image
  std::string metric = "logit";       ///< logit | difference | probability
};

/// For flags, the form and the checks.
const ParameterTable& interventionParameters();

/// "heads" and so on. Error: InvalidArgument, with the names that there are.
Result<InterventionSite> interventionSiteFromName(const std::string& name);
const std::string& interventionSiteName(InterventionSite site);
/// Whether a site has heads of its own.
bool siteHasHeads(InterventionSite site);

/// SITE:LAYER, with .HEAD and @TOKEN where only one is meant: "heads:3.1", "mlp:4@0". Error:
/// InvalidArgument, saying what was expected.
Result<Intervention> interventionFromText(const std::string& text);
std::string interventionText(const Intervention& intervention);

/// What the columns of a sweep are, "auto" resolved: heads where the site has heads, else tokens.
/// Error: InvalidArgument, heads of a site without heads.
Result<std::string> sweepColumns(const InterventionOptions& options);

}  // namespace headlight
