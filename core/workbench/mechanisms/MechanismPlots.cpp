// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/mechanisms/MechanismPlots.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "core/attention/base/MechanismPlotSource.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/session/MapRendering.h"
#include "core/workbench/session/ModelAccess.h"
#include "core/workbench/session/ModelPass.h"

namespace headlight {
namespace {

constexpr std::int64_t kMostOwnValues = 1 << 28;  // 1 GB of them

/// Null where the mechanism of this layer has no images of its own.
MechanismPlotSource* plotSourceOf(Model& model, int layer) {
  return dynamic_cast<MechanismPlotSource*>(&model.attention(layer));
}

/// For all layers, each name once: as the first layer that has it describes it.
std::vector<MechanismPlotInfo> mechanismPlotsOf(Model& model) {
  std::vector<MechanismPlotInfo> all;
  for (int l = 0; l < model.layers(); ++l) {
    MechanismPlotSource* source = plotSourceOf(model, l);
    if (!source) continue;
    for (MechanismPlotInfo& info : source->mechanismPlots())
      if (std::none_of(all.begin(), all.end(),
                       [&](const MechanismPlotInfo& other) { return other.name == info.name; }))
        all.push_back(std::move(info));
  }
  return all;
}

bool offers(MechanismPlotSource& source, const std::string& name) {
  const auto all = source.mechanismPlots();
  return std::any_of(all.begin(), all.end(),
                     [&](const MechanismPlotInfo& info) { return info.name == name; });
}

MechanismPlotInfo infoNamed(Model& model, const std::string& name) {
  std::string known;
  for (const MechanismPlotInfo& info : mechanismPlotsOf(model)) {
    if (info.name == name) return info;
    addTo(known, info.name);
  }
  throw Failure(
      {ErrorCode::InvalidArgument,
       known.empty()
           ? tr("this model's mechanism has no plots; AFT, IBiT's learned mask and LSLA have some")
           : tr("is not a plot of this model's mechanism; choose one of ") + known,
       name});
}

/// The query on the model's grid.
int tokenAsked(const MechanismPlotRequest& request, const Grid& grid) {
  if (request.token < -1 || request.token >= grid.tokens())
    throw Failure({ErrorCode::InvalidArgument,
                   tr("no token ") + std::to_string(request.token) + tr("; the model has ") +
                       std::to_string(grid.tokens()) + tr(", counted from 0"),
                   "query"});
  return request.token >= 0 ? request.token : grid.middleToken();
}

/// Layers whose images are wanted, of those that have it.
std::vector<int> layersAsked(Model& model, const std::string& name, int layer) {
  if (layer != -1) layerOrLast(layer, model.layers());  // refuses one that there is not
  std::vector<int> layers;
  for (int l = 0; l < model.layers(); ++l) {
    MechanismPlotSource* source = plotSourceOf(model, l);
    if ((layer == -1 || layer == l) && source && offers(*source, name)) layers.push_back(l);
  }
  if (layers.empty())
    throw Failure({ErrorCode::InvalidArgument,
                   "layer " + std::to_string(layer) +
                       tr(" has no such plot; leave out the layer to show all"),
                   name});
  return layers;
}

/// Keeps what enters the attention of the block that runs.
class EnteringHook : public AttentionHook {
 public:
  bool wants(int) const override { return false; }
  void take(int, const at::Tensor&) override {}
  void enter(const at::Tensor& tokens) override { entering = tokens; }

  at::Tensor entering;
};

void addPanels(const at::Tensor& values, int layer, const Grid& grid, MechanismPlot& image) {
  const bool heatmap = image.info.kind == MechanismPlotKind::Heatmap;
  for (std::int64_t h = 0; h < values.size(0); ++h) {
    MechanismPlotPanel& panel = image.panels.emplace_back();
    panel.layer = layer;
    panel.head = values.size(0) == 1 ? -1 : static_cast<int>(h);
    panel.rows = heatmap ? grid.rows : static_cast<int>(values.size(1));
    panel.cols = heatmap ? grid.cols : static_cast<int>(values.size(2));
    panel.values = plainValues(values[h]);
  }
}

/// All lines of head 0, then those of head 1; a line that all heads share is in front.
void addCurves(const MechanismPlotAnswer& answer, int layer, MechanismPlot& image) {
  std::int64_t heads = 1;
  for (const auto& [name, lines] : answer.parts)
    heads = std::max(heads, lines.size(0));
  const auto add = [&](const std::string& name, const at::Tensor& line, int head) {
    image.curves.push_back({layer, head, name, answer.place, plainValues(line)});
  };
  for (const auto& [name, lines] : answer.parts)
    if (lines.size(0) == 1) add(name, lines[0], heads == 1 ? 0 : -1);
  for (std::int64_t h = 0; h < heads; ++h)
    for (const auto& [name, lines] : answer.parts)
      if (lines.size(0) > 1) add(name, lines[h], static_cast<int>(h));
}

/// Asks layer after layer, the image's tokens on their way through the model where it is of one.
class MechanismPlotPass {
 public:
  MechanismPlotPass(Model& model, MechanismPlot& image, const MechanismPlotRequest& request,
                    std::vector<int> layers)
      : m_model(model), m_image(image), m_request(request), m_layers(std::move(layers)) {}

  void run(const ModelInfo& info, const ProgressCallback& progress, const std::stop_token& stop) {
    const at::NoGradGuard noGrad;
    m_modelGrid = info.grid;
    const bool ofImage = m_image.info.ofImage;
    const auto last = static_cast<std::int64_t>(m_layers.back());
    PassSteps step("layers", progress, stop,
                   ofImage ? last + 1 : static_cast<std::int64_t>(m_layers.size()));
    if (!ofImage) {
      for (const int layer : m_layers) {
        step();
        ask(layer, {});
      }
      return;
    }
    at::Tensor tokens = m_model.embed(modelInput(info, *m_request.image));
    for (int l = 0; l <= last; ++l) {
      step();
      EnteringHook tap;
      tokens = m_model.block(l, tokens, &tap);
      if (std::find(m_layers.begin(), m_layers.end(), l) != m_layers.end()) ask(l, tap.entering);
    }
  }

 private:
  void ask(int layer, const at::Tensor& tokens) {
    const Grid grid = m_model.grid(layer);
    MechanismPlotQuery question{tokens};
    if (m_image.info.ofToken) question.query = queryInLayer(m_image.token, m_modelGrid, grid);
    const MechanismPlotAnswer answer =
        plotSourceOf(m_model, layer)->mechanismPlot(m_image.info.name, question);
    requireRoomFor(answer);
    if (m_image.info.kind == MechanismPlotKind::Curves)
      addCurves(answer, layer, m_image);
    else
      addPanels(answer.parts.front().second, layer, grid, m_image);
    if (m_image.note.empty()) m_image.note = answer.note;
  }

  void requireRoomFor(const MechanismPlotAnswer& answer) {
    for (const auto& part : answer.parts)
      m_values += part.second.numel();
    if (m_values > kMostOwnValues)
      throw Failure({ErrorCode::InvalidArgument,
                     tr("more numbers than fit in memory; choose one layer"), "layer"});
  }

  Model& m_model;
  MechanismPlot& m_image;
  const MechanismPlotRequest& m_request;
  std::vector<int> m_layers;
  Grid m_modelGrid;
  std::int64_t m_values = 0;
};

void useMasks(Model& model, const ModelInfo& info, const MechanismPlotRequest& request) {
  model.setMasks(request.masks
                     ? *request.masks
                     : valueOrThrow(resolveMasks(info.experiment.masks, model.masks().shape())));
}

}  // namespace

std::vector<int> MechanismPlot::layers() const {
  std::vector<int> all;
  const auto add = [&](int layer) {
    if (all.empty() || all.back() != layer) all.push_back(layer);
  };
  for (const MechanismPlotPanel& panel : panels)
    add(panel.layer);
  for (const MechanismPlotCurve& curve : curves)
    add(curve.layer);
  return all;
}

std::vector<int> MechanismPlot::heads(int layer) const {
  std::vector<int> all;
  const auto add = [&](int itsLayer, int head) {
    if (itsLayer == layer && std::find(all.begin(), all.end(), head) == all.end())
      all.push_back(head);
  };
  for (const MechanismPlotPanel& panel : panels)
    add(panel.layer, panel.head);
  for (const MechanismPlotCurve& curve : curves)
    add(curve.layer, curve.head);
  if (all.size() > 1) std::erase(all, -1);  // lines that all heads share
  return all;
}

std::string plotPlaceText(int layer, int head) {
  const std::string text = "layer " + std::to_string(layer);
  return head < 0 ? text : text + ", head " + std::to_string(head);
}

std::string plotTitle(const MechanismPlot& image) {
  return image.tokenText.empty() ? image.info.title
                                 : image.info.title + " of the " + image.tokenText;
}

std::vector<MechanismPlotInfo> mechanismPlots(InferenceSession& session) {
  std::vector<MechanismPlotInfo> all;
  if (session.info().isPrecomputed) return all;
  withModel(session, [&](Model& model) { all = mechanismPlotsOf(model); });
  return all;
}

Result<MechanismPlot> mechanismPlot(InferenceSession& session, const std::string& name,
                                    const MechanismPlotRequest& request,
                                    const ProgressCallback& progress, std::stop_token stop) {
  return guarded(name, [&] {
    MechanismPlot image;
    withModel(session, [&](Model& model) {
      image.info = infoNamed(model, name);
      const auto layers = layersAsked(model, name, request.layer);
      if (image.info.ofToken) {
        image.token = tokenAsked(request, session.info().grid);
        image.tokenText = tokenText(image.token, session.info().grid);
      }
      if (image.info.ofImage && !request.image)
        throw Failure({ErrorCode::InvalidArgument,
                       image.info.title + tr(" depend on the image; give one"), name});
      if (image.info.ofImage) useMasks(model, session.info(), request);
      MechanismPlotPass(model, image, request, layers).run(session.info(), progress, stop);
    });
    return image;
  });
}

}  // namespace headlight
