// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/attention/softmax/LightSelfLimited.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/attention/base/MixedPrecision.h"

namespace headlight {
namespace {

using Own = LightSelfLimitedOptions;

Own ownOf(const AttentionOptions& options) {
  return optionsAs<Own>(LightSelfLimitedAttention::optionTable(), options.options);
}

WindowShape lslaShape(const AttentionOptions& options, const Own& own) {
  Grid patches = options.grid;
  patches.prefix = 0;
  return windowShape(
      patches, own.window, own.shift && options.layerInStage % 2 == 1,
      own.padding == "after_shift" ? WindowPadding::AfterShift : WindowPadding::BeforeShift);
}

PrefixedWindows lslaWindows(const AttentionOptions& options, const Own& own) {
  return {options.grid.prefix, lslaShape(options, own)};
}

/// For padding after the shift, which only older models have.
std::string edgeNoticeOf(const WindowShape& shape) {
  std::string notice = edgeNotice(shape);
  if (notice.empty()) return notice;
  return notice +
         " This is model.attention.padding after_shift, as in earlier versions; new models use "
         "before_shift.";
}

double fixedScale(const AttentionOptions& options) {
  const int headWidth = options.width / options.heads;
  return 1.0 / std::sqrt(static_cast<double>(headWidth));
}

/// Window b of the batch takes matrices[b mod G]: [G, H, M, M] · [B·W, H, M, d] → [B·W, M, H·d].
/// In the precision of `heads`.
at::Tensor productWithEach(const at::Tensor& matrices, const at::Tensor& heads) {
  const std::int64_t groups = matrices.size(0), count = heads.size(1), places = heads.size(2),
                     width = heads.size(3), images = heads.size(0) / groups;
  const at::Tensor columns = heads.reshape({images, groups, count, places, width})
                                 .permute({1, 2, 3, 0, 4})
                                 .reshape({groups * count, places, images * width});
  const Float32Scope exact;
  return at::bmm(matrices.to(heads.scalar_type()).reshape({groups * count, places, places}),
                 columns)
      .view({groups, count, places, images, width})
      .permute({3, 0, 2, 1, 4})
      .reshape({images * groups, places, count * width});
}

/// maps [B·W, H, M, M] + matrices[b mod G].
at::Tensor plusEach(const at::Tensor& maps, const at::Tensor& matrices) {
  const std::int64_t groups = matrices.size(0);
  return (maps.view({-1, groups, maps.size(1), maps.size(2), maps.size(3)}) + matrices)
      .view_as(maps);
}

}  // namespace

const ParameterTable& LightSelfLimitedAttention::optionTable() {
  static const ParameterTable table =
      TableBuilder<Own>()
          .choice(&Own::variant, "variant", {"qxx", "qxv", "qkv"},
                  "Projections among query, key and value (q, k, v); x is the unprojected token.")
          .boolean(&Own::projection, "projection", "Use an output projection after the heads.")
          .choice(&Own::scale, "scale", {"dynamic", "fixed"},
                  "Logit scale: learned for every pair of positions in a window, or 1/√d.")
          .boolean(&Own::innerBias, "inner_bias",
                   "Use a relative position bias before the softmax.")
          .boolean(&Own::outerBias, "outer_bias",
                   "Use a relative position bias after the softmax, which limits large weights.")
          .integer(&Own::window, "window", 1, 64,
                   "Window size in patches per side; a smaller grid is one window.")
          .boolean(&Own::shift, "shift",
                   "Shift windows by half their side in every second block of a stage.")
          .choice(&Own::padding, "padding", {"before_shift", "after_shift"},
                  "Order of padding and shift where windows do not divide the grid: before the "
                  "shift, so that opposite edges never attend to each other (Swin, Figure 4), or "
                  "after it, as in timm.")
          .build();
  return table;
}

WindowShape LightSelfLimitedAttention::shape(const AttentionOptions& options) {
  return lslaShape(options, ownOf(options));
}

LightSelfLimitedAttention::LightSelfLimitedAttention(const AttentionOptions& options)
    : LightSelfLimitedAttention(options, ownOf(options)) {}

LightSelfLimitedAttention::LightSelfLimitedAttention(const AttentionOptions& options,
                                                     const Own& own)
    : MaskedAttention(options.layer, options.heads, lslaShape(options, own).window,
                      lslaWindows(options, own).keys()),
      m_options(options),
      m_own(own),
      m_windows(lslaWindows(options, own)) {
  const at::NoGradGuard noGrad;
  const std::int64_t width = options.width, inside = m_windows.shape().window.patches();
  const auto linear = [&](bool bias) {
    return AdaptableLinear(torch::nn::LinearOptions(width, width).bias(bias));
  };
  m_query = register_module("q", linear(options.qkvBias));
  if (own.variant == "qkv") m_key = register_module("k", linear(options.qkvBias));
  if (own.variant != "qxx") m_value = register_module("v", linear(options.qkvBias));
  if (own.projection) m_proj = register_module("proj", linear(true));
  // DS starts as the scale it replaces (Eq. 16); the biases as Swin's.
  if (own.scale == "dynamic")
    m_dynamicScale =
        register_parameter("dynamic_scale", at::full({inside, inside}, fixedScale(options)));
  const auto table = [&] {
    return at::zeros({m_windows.shape().offsets(), options.heads}).normal_(0, 0.02);
  };
  if (own.innerBias) m_innerTable = register_parameter("inner_bias_table", table());
  if (own.outerBias) m_outerTable = register_parameter("outer_bias_table", table());
}

void LightSelfLimitedAttention::setGrid(const Grid& grid) {
  AttentionOptions moved = m_options;
  moved.grid = grid;
  if (!(lslaShape(moved, m_own).window == m_windows.shape().window))
    return Attention::setGrid(grid);
  m_options = moved;
  m_windows = lslaWindows(moved, m_own);
}

void LightSelfLimitedAttention::count(CostCounter& counter, const AttentionOptions& options) {
  const Own own = ownOf(options);
  const WindowShape shape = lslaShape(options, own);
  const std::int64_t width = options.width, inside = shape.window.patches(),
                     places = shape.padded.patches(), table = shape.offsets() * options.heads,
                     prefix = options.grid.prefix, all = prefix + places;
  counter.linear("q", width, width, options.qkvBias, all);
  if (own.variant == "qkv") counter.linear("k", width, width, options.qkvBias, all);
  if (own.variant != "qxx") counter.linear("v", width, width, options.qkvBias, all);
  if (own.scale == "dynamic") counter.parameters("dynamic_scale", inside * inside);
  if (own.innerBias) counter.parameters("inner_bias_table", table);
  if (own.outerBias) counter.parameters("outer_bias_table", table);
  const std::int64_t pairs = places * (prefix + inside) + prefix * options.grid.tokens();
  counter.macs("logits and values", 2 * pairs * width);  // Q Xᵀ and A X
  if (own.projection) counter.linear("proj", width, width, true, options.grid.tokens());
  counter.notice(edgeNoticeOf(shape));
}

std::string LightSelfLimitedAttention::notice() const {
  return edgeNoticeOf(m_windows.shape());
}

std::string LightSelfLimitedAttention::mapMeaning() const {
  std::string meaning =
      m_own.outerBias
          ? "Softmax attention within windows plus the outer bias that limits it (LSLA, Eq. 18): "
            "signed, rows do not need to sum to 1, and values are 0 outside the window of the "
            "query."
          : "Softmax attention within windows, without the outer bias: each row sums to 1 over the "
            "window of its query and is 0 outside it.";
  if (m_windows.prefix() > 0)
    meaning +=
        " The class token is in every window and sees all patches, without scale and biases.";
  return meaning;
}

std::vector<LearnedPairs> LightSelfLimitedAttention::learnedPairs() {
  Windows& windows = m_windows.windows();
  const at::Tensor places = m_windows.tokenPlaces(), seen = m_windows.tokensInSight();
  const std::string ofClassToken =
      m_windows.prefix() > 0 ? " The class token has none: choose a patch." : "";
  std::vector<LearnedPairs> pairs;
  const auto add = [&](const char* name, const char* title, const std::string& meaning,
                       bool isSigned, const at::Tensor& values) {
    pairs.push_back({name, title,
                     meaning +
                         " Learned, the same for every image and window; gray: padding, or parted "
                         "by the shift." +
                         ofClassToken,
                     isSigned, values.detach(), m_windows.shape().window, places, seen});
  };
  if (m_dynamicScale.defined())
    add("dynamic_scale", "dynamic scale DS",
        "The scale that multiplies the product of the query and each patch of its window (LSLA, "
        "Eq. 16); all heads of a layer share it.",
        false, m_dynamicScale.unsqueeze(0));
  if (m_innerTable.defined())
    add("inner_bias", "inner bias B_i",
        "The bias on the logit of each patch in the query's window, before the softmax (LSLA, Eq. "
        "18).",
        true, windows.relativeBias(m_innerTable));
  if (m_outerTable.defined())
    add("outer_bias", "outer bias B_o",
        "The bias on the weight of each patch in the query's window, after the softmax; it limits "
        "large weights (LSLA, Eq. 18).",
        true, windows.relativeBias(m_outerTable));
  return pairs;
}

/// [.., K, D] → [.., H, K, d].
at::Tensor LightSelfLimitedAttention::projected(AdaptableLinear& projection,
                                                const at::Tensor& tokens) {
  if (!tokens.defined()) return {};
  const at::Tensor own = projection.is_empty() ? tokens : projection(tokens),
                   all =
                       isNarrow(tokens) ? own : inFloat32(own);  // like X, which may be among them
  return all.reshape({all.size(0), all.size(1), m_options.heads, m_options.width / m_options.heads})
      .transpose(1, 2);
}

WindowTokens LightSelfLimitedAttention::projected(AdaptableLinear& projection,
                                                  const WindowTokens& tokens) {
  return {projected(projection, tokens.prefix), projected(projection, tokens.windows)};
}

HeadLogits LightSelfLimitedAttention::logitsOf(const at::Tensor& queries) {
  HeadLogits logits = logitMasks(queries.options());
  // DS stands in place of 1/√d, which the kernel has applied.
  if (m_dynamicScale.defined())
    logits.factor =
        m_windows.widened((m_dynamicScale / fixedScale(m_options)).unsqueeze(0), /*neutral=*/1);
  if (m_innerTable.defined())
    logits.bias = m_windows.widened(m_windows.windows().relativeBias(m_innerTable), 0);
  logits.apart = m_windows.widened(m_windows.windows().apart(queries.device()), 0);
  return logits;
}

at::Tensor LightSelfLimitedAttention::outerBias(const at::Tensor& like) {
  const at::Tensor bias = m_windows.windows().relativeBias(m_outerTable).unsqueeze(0);
  const at::Tensor apart = m_windows.windows().apart(like.device());
  return apart.defined() ? bias.masked_fill(apart.unsqueeze(1), 0.0) : bias;
}

/// [B, P, D], heads side by side.
at::Tensor LightSelfLimitedAttention::ofPrefix(const at::Tensor& rows,
                                               const WindowTokens& values) const {
  if (!rows.defined()) return {};
  const Float32Scope exact;
  return rows.matmul(inFloat32(m_windows.whole(values))).transpose(1, 2).flatten(2);
}

at::Tensor LightSelfLimitedAttention::prefixRows(const at::Tensor& queries,
                                                 const WindowTokens& keys) const {
  if (!queries.defined()) return {};
  const Float32Scope exact;
  const at::Tensor logits =
      inFloat32(queries).matmul(inFloat32(m_windows.whole(keys)).transpose(-2, -1));
  return (logits * fixedScale(m_options)).softmax(-1);
}

/// out = (softmax(…) + B_o) V, the two products apart: the second is one of few matrices, the same
/// for all images. Prefix tokens have no part in it.
at::Tensor LightSelfLimitedAttention::forward(const at::Tensor& tokens, AttentionHook* tap) {
  const bool wanted = tap && tap->wants(m_options.layer);
  const WindowTokens split = m_windows.split(wanted ? inFloat32(tokens) : tokens),
                     queries = projected(m_query, split), keys = projected(m_key, split),
                     values = projected(m_value, split);
  const HeadLogits logits = logitsOf(queries.windows);
  const at::Tensor inSight = m_windows.seen(values);
  auto [mixed, map] =
      runHeads(HeadInputs::apart(queries.windows, m_windows.seen(keys), inSight), logits, wanted);
  if (m_outerTable.defined()) {
    const at::Tensor bias = outerBias(queries.windows);
    mixed = mixed + productWithEach(bias, values.windows);
    if (wanted) map = plusEach(map, m_windows.widened(bias.detach(), 0));
  }
  const at::Tensor rows = prefixRows(queries.prefix, keys), prefix = ofPrefix(rows, values);
  if (wanted) {
    tap->take(m_options.layer, m_windows.wholeMap(map, rows));
    FollowedMap followed{{{map, inSight, mixed}}};
    if (rows.defined())
      followed.products.push_back({rows.detach(), m_windows.whole(values), prefix});
    followed.whole = [this](const auto& parts) {
      return m_windows.wholeMap(parts[0], parts.size() > 1 ? parts[1] : at::Tensor());
    };
    tap->follow(m_options.layer, std::move(followed));
  }
  const at::Tensor output = throughHook(tap, m_windows.joined({prefix, mixed}));
  return m_proj.is_empty() ? output : m_proj(output);
}

std::vector<MechanismPlotInfo> LightSelfLimitedAttention::mechanismPlots() const {
  return lightSelfLimitedPlots(m_own.outerBias, hasLearnedTerms());
}

MechanismPlotAnswer LightSelfLimitedAttention::mechanismPlot(const std::string& name,
                                                             const MechanismPlotQuery& question) {
  const at::NoGradGuard noGrad;
  const LightSelfLimitedPlots plots(m_windows, question.query);
  if (LightSelfLimitedPlots::isOfTerms(name)) return plots.termLines(learnedTerms());
  return plots.attention(name, windowMaps(question.tokens));
}

LightSelfLimitedTerms LightSelfLimitedAttention::learnedTerms() {
  const auto biasOf = [&](const at::Tensor& table) {
    return table.defined() ? m_windows.windows().relativeBias(table) : at::Tensor();
  };
  return {m_dynamicScale.defined() ? m_dynamicScale.unsqueeze(0) : at::Tensor(),
          biasOf(m_innerTable), biasOf(m_outerTable)};
}

LightSelfLimitedMaps LightSelfLimitedAttention::windowMaps(const at::Tensor& tokens) {
  const WindowTokens split = m_windows.split(tokens), queries = projected(m_query, split),
                     keys = projected(m_key, split);
  const at::Tensor inSight = m_windows.seen(keys);
  // The values change nothing of the weights.
  return {runHeads(HeadInputs::apart(queries.windows, inSight, inSight), logitsOf(queries.windows),
                   /*wantMap=*/true)
              .map,
          m_outerTable.defined() ? outerBias(queries.windows) : at::Tensor()};
}

}  // namespace headlight
