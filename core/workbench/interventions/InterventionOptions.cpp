// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/interventions/InterventionOptions.h"

#include <charconv>

#include "core/base/Text.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

const std::vector<std::string>& siteNames() {
  static const std::vector<std::string> names{"residual", "attention", "mlp", "heads", "pattern"};
  return names;
}

Error unreadablePart(const std::string& text) {
  return {ErrorCode::InvalidArgument,
          tr("is not a part of a model; give SITE:LAYER, with .HEAD or @TOKEN behind it for one "
             "head or token, such as heads:3.1 or mlp:4@0; SITE is one of ") +
              joined(siteNames()),
          text};
}

/// A number from 0 on, at the beginning of `rest`, which loses it; −1: there is none.
int takeNumber(std::string& rest) {
  int number = -1;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc() || number < 0) return -1;
  rest.erase(0, static_cast<std::size_t>(end - rest.data()));
  return number;
}

/// Takes `mark` and the number behind it off `rest`; false where the mark stands alone.
bool takePart(std::string& rest, char mark, int& number) {
  if (rest.empty() || rest.front() != mark) return true;
  rest.erase(0, 1);
  number = takeNumber(rest);
  return number >= 0;
}

}  // namespace

const ParameterTable& interventionParameters() {
  using O = InterventionOptions;
  static const ParameterTable table =
      TableBuilder<O>()
          .choice(&O::site, "site", siteNames(),
                  "Part to replace: the tokens that enter a block, what its attention or its MLP "
                  "adds to them, what its heads give, or the attention weights of its heads.")
          .choice(&O::across, "across", {"auto", "layers", "heads", "tokens"},
                  "Replace whole layers, or every head or every token by itself; auto: heads where "
                  "the part has heads, else tokens.")
          .choice(&O::replace, "replace", {"zero", "mean", "image"},
                  "Replace by 0, by the mean over images, or by what another image gives "
                  "(activation patching).")
          .choice(&O::direction, "direction", {"denoise", "noise"},
                  "With another image: run the other image and restore parts of this one, or run "
                  "this image and put parts of the other into it.")
          .choice(&O::metric, "metric", {"logit", "difference", "probability"},
                  "Number to watch: the logit of the class, its difference from the logit of a "
                  "second class, or the probability of the class.")
          .build();
  return table;
}

Result<InterventionSite> interventionSiteFromName(const std::string& name) {
  const auto& names = siteNames();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<InterventionSite>(i);
  return Error{ErrorCode::InvalidArgument,
               tr("is not a part of a block; choose one of ") + joined(names), name};
}

const std::string& interventionSiteName(InterventionSite site) {
  return siteNames()[static_cast<std::size_t>(site)];
}

bool siteHasHeads(InterventionSite site) {
  return site == InterventionSite::Heads || site == InterventionSite::Pattern;
}

Result<Intervention> interventionFromText(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return unreadablePart(text);
  const auto site = interventionSiteFromName(text.substr(0, colon));
  if (!site) return unreadablePart(text);
  Intervention part;
  part.site = *site;
  std::string rest = text.substr(colon + 1);
  part.layer = takeNumber(rest);
  const bool whole = part.layer >= 0 && takePart(rest, '.', part.head) &&
                     takePart(rest, '@', part.token) && rest.empty();
  if (!whole || (part.head >= 0 && !siteHasHeads(part.site))) return unreadablePart(text);
  return part;
}

std::string interventionText(const Intervention& intervention) {
  std::string text =
      interventionSiteName(intervention.site) + ":" + std::to_string(intervention.layer);
  if (intervention.head >= 0) text += "." + std::to_string(intervention.head);
  if (intervention.token >= 0) text += "@" + std::to_string(intervention.token);
  return text;
}

Result<std::string> sweepColumns(const InterventionOptions& options) {
  const auto site = interventionSiteFromName(options.site);
  if (!site) return site.error();
  if (options.across == "auto") return std::string(siteHasHeads(*site) ? "heads" : "tokens");
  if (options.across == "heads" && !siteHasHeads(*site))
    return Error{ErrorCode::InvalidArgument,
                 options.site + tr(" has no heads; choose tokens or layers, or the heads' outputs"),
                 "across"};
  return options.across;
}

}  // namespace headlight
