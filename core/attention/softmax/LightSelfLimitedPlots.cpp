// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/softmax/LightSelfLimitedPlots.h"

#include <ATen/ATen.h>

#include <limits>

#include "core/base/Result.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

constexpr const char *kBefore = "attention-before", *kAfter = "attention-after",
                     *kAttentionLines = "attention-lines", *kBiasLines = "bias-lines";
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// rows [H, M] by places of a window as [H, N] by patches; `seen` [M]: the patch in each place, −1
/// for none.
at::Tensor overPatches(const at::Tensor& rows, const at::Tensor& seen, std::int64_t patches) {
  const at::Tensor there = seen.ge(0).nonzero().view(-1);
  return at::full({rows.size(0), patches}, kNothing, rows.options())
      .index_copy_(1, seen.index_select(0, there), rows.index_select(1, there));
}

}  // namespace

std::vector<MechanismPlotInfo> lightSelfLimitedPlots(bool outerBias, bool learnedTerms) {
  const std::string softmax = "softmax(Q X^T × DS + B_i)",
                    inWindow = " Shows the query's window; patches outside it get no attention.",
                    places = "over the positions of the query's window, row by row";
  std::vector<MechanismPlotInfo> all{
      {.name = kBefore,
       .title = outerBias ? "attention before B_o" : "attention",
       .meaning =
           "The query's attention before the outer bias limits it: " + softmax + "." + inWindow,
       .source = "ViT-LSLA, Eq. 17, Fig. 3",
       .kind = MechanismPlotKind::Heatmap,
       .ofImage = true,
       .ofToken = true}};
  if (outerBias)
    all.push_back(
        {.name = kAfter,
         .title = "attention after B_o",
         .meaning = "The query's final weight on each patch: " + softmax + " + B_o." + inWindow,
         .source = "ViT-LSLA, Eq. 18, Fig. 3",
         .kind = MechanismPlotKind::Heatmap,
         .ofImage = true,
         .ofToken = true,
         .isSigned = true});
  all.push_back({.name = kAttentionLines,
                 .title = "lines of attention before and after B_o",
                 .meaning = "The query's attention before the outer bias (LSA, Eq. 17), after it "
                            "(LSLA, Eq. 18), and the bias itself, " +
                            places + "; gaps: padding, or parted by the shift.",
                 .source = "ViT-LSLA, Fig. 4b",
                 .kind = MechanismPlotKind::Curves,
                 .ofImage = true,
                 .ofToken = true,
                 .isSigned = true});
  if (learnedTerms)
    all.push_back({.name = kBiasLines,
                   .title = "lines of DS, B_i and B_o",
                   .meaning = "The dynamic scale DS, which all heads share, the inner bias B_i and "
                              "the outer bias B_o at the query, " +
                              places +
                              ". Learned, the same for every image and window; gaps: padding, or "
                              "parted by the shift.",
                   .source = "ViT-LSLA, Fig. 4",
                   .kind = MechanismPlotKind::Curves,
                   .ofToken = true,
                   .isSigned = true});
  return all;
}

LightSelfLimitedPlots::LightSelfLimitedPlots(PrefixedWindows& windows, int query)
    : m_windows(windows) {
  if (query < windows.prefix())
    throw Failure(
        {ErrorCode::InvalidArgument,
         tr("the class token has no position in a window, no scale and no biases; choose a patch"),
         "query"});
  const std::int64_t patches = windows.shape().grid.patches(),
                     inside = windows.shape().window.patches();
  // Counted from 1, so that the zeros of the padding stand out.
  const at::Tensor numbered = at::arange(1, patches + 1, at::kLong).view({1, patches, 1});
  const auto standing = windows.windows()
                            .partition(numbered)
                            .view(-1)
                            .eq(query - windows.prefix() + 1)
                            .nonzero()
                            .item<std::int64_t>();
  m_window = standing / inside;
  m_place = standing % inside;
  m_seen = windows.windows().patchesInSight()[query - windows.prefix()];
}

bool LightSelfLimitedPlots::isOfTerms(const std::string& name) {
  return name == kBiasLines;
}

MechanismPlotAnswer LightSelfLimitedPlots::termLines(const LightSelfLimitedTerms& terms) const {
  MechanismPlotAnswer answer{.place = static_cast<int>(m_place)};
  const auto add = [&](const char* name, const at::Tensor& pairs) {  // [1 or H, M², M²]
    if (pairs.defined())
      answer.parts.emplace_back(
          name, pairs.select(1, m_place).masked_fill(m_seen.lt(0).to(pairs.device()), kNothing));
  };
  add("DS", terms.scale);
  add("B_i", terms.innerBias);
  add("B_o", terms.outerBias);
  return answer;
}

LightSelfLimitedPlots::Rows LightSelfLimitedPlots::rowsOf(const LightSelfLimitedMaps& maps) const {
  Rows rows;
  rows.before = maps.softmax[m_window].select(1, m_place).slice(1, m_windows.prefix());
  const at::Tensor& outer = maps.outerBias;
  if (outer.defined()) rows.outer = outer[outer.size(0) == 1 ? 0 : m_window].select(1, m_place);
  return rows;
}

MechanismPlotAnswer LightSelfLimitedPlots::attentionLines(const Rows& rows) const {
  MechanismPlotAnswer answer{.place = static_cast<int>(m_place)};
  const at::Tensor unseen = m_seen.lt(0).to(rows.before.device());
  const auto add = [&](const char* name, const at::Tensor& values) {
    answer.parts.emplace_back(name, values.masked_fill(unseen, kNothing));
  };
  add("before B_o", rows.before);
  if (!rows.outer.defined()) return answer;
  add("after B_o", rows.before + rows.outer);
  add("B_o", rows.outer);
  return answer;
}

MechanismPlotAnswer LightSelfLimitedPlots::attention(const std::string& name,
                                                     const LightSelfLimitedMaps& maps) const {
  const Rows rows = rowsOf(maps);
  MechanismPlotAnswer answer;
  if (name == kAttentionLines) {
    answer = attentionLines(rows);
  } else {
    const at::Tensor shown = name == kBefore ? rows.before : rows.before + rows.outer;
    answer.parts.emplace_back(
        "", overPatches(shown, m_seen.to(shown.device()), m_windows.shape().grid.patches()));
  }
  if (m_windows.prefix() > 0)
    answer.note =
        "the class token, which is in every window, takes part in the softmax and is not "
        "drawn";
  return answer;
}

}  // namespace headlight
