// SPDX-License-Identifier: GPL-3.0-or-later

// LightSelfLimitedAttention, continued: its attention before and after the outer bias (Hechen,
// Huang, Zhao 2022, Fig. 3b), and the lines of Fig. 4.

#include <ATen/ATen.h>

#include <limits>

#include "core/attention/softmax/LightSelfLimited.h"
#include "core/base/Result.h"

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

std::vector<MechanismPlotInfo> LightSelfLimitedAttention::ownPictures() const {
  const std::string softmax = "softmax(Q X^T × DS + B_i)",
                    inWindow = " Of the query's window; patches outside are not seen.",
                    places = "over the places of the query's window, row by row";
  std::vector<MechanismPlotInfo> all{
      {.name = kBefore,
       .title = m_own.outerBias ? "attention before B_o" : "attention",
       .meaning =
           "What the query looks at before the outer bias limits it: " + softmax + "." + inWindow,
       .source = "ViT-LSLA, Eq. 17, Fig. 3",
       .kind = MechanismPlotKind::Heatmap,
       .ofPicture = true,
       .ofToken = true}};
  if (m_own.outerBias)
    all.push_back(
        {.name = kAfter,
         .title = "attention after B_o",
         .meaning = "What the query takes of each patch: " + softmax + " + B_o." + inWindow,
         .source = "ViT-LSLA, Eq. 18, Fig. 3",
         .kind = MechanismPlotKind::Heatmap,
         .ofPicture = true,
         .ofToken = true,
         .isSigned = true});
  all.push_back({.name = kAttentionLines,
                 .title = "lines of attention before and after B_o",
                 .meaning = "What the query looks at before the outer bias (LSA, Eq. 17), after it "
                            "(LSLA, Eq. 18), and the bias itself, " +
                            places + "; gaps: not seen.",
                 .source = "ViT-LSLA, Fig. 4b",
                 .kind = MechanismPlotKind::Curves,
                 .ofPicture = true,
                 .ofToken = true,
                 .isSigned = true});
  if (m_dynamicScale.defined() || m_innerTable.defined() || m_outerTable.defined())
    all.push_back({.name = kBiasLines,
                   .title = "lines of DS, B_i and B_o",
                   .meaning = "The dynamic scale DS, which all heads share, the inner bias B_i and "
                              "the outer bias B_o at the query, " +
                              places +
                              ". Learned, the same for every picture and window; gaps: not seen.",
                   .source = "ViT-LSLA, Fig. 4",
                   .kind = MechanismPlotKind::Curves,
                   .ofToken = true,
                   .isSigned = true});
  return all;
}

LightSelfLimitedAttention::WindowRows LightSelfLimitedAttention::rowsAt(const at::Tensor& tokens,
                                                                        const QueryPlace& at) {
  const WindowTokens split = m_windows.split(tokens), queries = projected(m_query, split),
                     keys = projected(m_key, split);
  const at::Tensor inSight = m_windows.seen(keys);
  // The values change nothing of the weights.
  const at::Tensor map = runHeads(HeadInputs::apart(queries.windows, inSight, inSight),
                                  logitsOf(queries.windows), /*wantMap=*/true)
                             .map;  // [W, H, M, P + M]
  WindowRows rows;
  rows.before = map[at.window].select(1, at.place).slice(1, m_windows.prefix());
  if (!m_outerTable.defined()) return rows;
  const at::Tensor outer = outerBias(queries.windows);  // [1 or W, H, M, M]
  rows.outer = outer[outer.size(0) == 1 ? 0 : at.window].select(1, at.place);
  return rows;
}

LightSelfLimitedAttention::QueryPlace LightSelfLimitedAttention::placeOf(int query) {
  if (query < m_windows.prefix())
    throw Failure({ErrorCode::InvalidArgument,
                   "the class token has no place in a window, and no scale and biases; choose a "
                   "patch",
                   "query"});
  const std::int64_t patches = m_windows.shape().grid.patches(),
                     inside = m_windows.shape().window.patches();
  // Counted from 1, so that the zeros of the padding stand out.
  const at::Tensor numbered = at::arange(1, patches + 1, at::kLong).view({1, patches, 1});
  const auto standing = m_windows.windows()
                            .partition(numbered)
                            .view(-1)
                            .eq(query - m_windows.prefix() + 1)
                            .nonzero()
                            .item<std::int64_t>();
  return {standing / inside, standing % inside,
          m_windows.windows().patchesInSight()[query - m_windows.prefix()]};
}

MechanismPlotAnswer LightSelfLimitedAttention::biasLines(const QueryPlace& at) {
  MechanismPlotAnswer answer{.place = static_cast<int>(at.place)};
  const auto add = [&](const char* name, const at::Tensor& pairs) {  // [1 or H, M, M]
    answer.parts.emplace_back(
        name, pairs.select(1, at.place).masked_fill(at.seen.lt(0).to(pairs.device()), kNothing));
  };
  if (m_dynamicScale.defined()) add("DS", m_dynamicScale.unsqueeze(0));
  if (m_innerTable.defined()) add("B_i", m_windows.windows().relativeBias(m_innerTable));
  if (m_outerTable.defined()) add("B_o", m_windows.windows().relativeBias(m_outerTable));
  return answer;
}

MechanismPlotAnswer LightSelfLimitedAttention::attentionLines(const WindowRows& rows,
                                                              const QueryPlace& at) {
  MechanismPlotAnswer answer{.place = static_cast<int>(at.place)};
  const at::Tensor unseen = at.seen.lt(0).to(rows.before.device());
  const auto add = [&](const char* name, const at::Tensor& values) {
    answer.parts.emplace_back(name, values.masked_fill(unseen, kNothing));
  };
  add("before B_o", rows.before);
  if (!rows.outer.defined()) return answer;
  add("after B_o", rows.before + rows.outer);
  add("B_o", rows.outer);
  return answer;
}

MechanismPlotAnswer LightSelfLimitedAttention::ownPicture(const std::string& name,
                                                          const MechanismPlotQuestion& question) {
  const at::NoGradGuard noGrad;
  const QueryPlace at = placeOf(question.query);
  if (name == kBiasLines) return biasLines(at);
  const WindowRows rows = rowsAt(question.tokens, at);
  MechanismPlotAnswer answer;
  if (name == kAttentionLines) {
    answer = attentionLines(rows, at);
  } else {
    const at::Tensor shown = name == kBefore ? rows.before : rows.before + rows.outer;
    answer.parts.emplace_back(
        "", overPatches(shown, at.seen.to(shown.device()), m_windows.shape().grid.patches()));
  }
  if (m_windows.prefix() > 0)
    answer.note =
        "the class token, which is in every window, takes part in the softmax and is not "
        "drawn";
  return answer;
}

}  // namespace headlight
