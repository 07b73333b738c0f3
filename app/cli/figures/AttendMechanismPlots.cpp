// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figures/AttendMechanismPlots.h"

#include <algorithm>

#include "app/cli/options/Inputs.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/loading/WeightsName.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

std::string modelName(const ModelInfo& info) {
  return makeModelTitle(info);
}

/// "kernel", "kernel-layer2-head1".
std::string fileStem(const MechanismPlotJob& job) {
  std::string stem = job.info.name;
  if (job.style.layer >= 0) stem += "-layer" + std::to_string(job.style.layer);
  if (job.style.head >= 0) stem += "-head" + std::to_string(job.style.head);
  return stem;
}

/// A plot with axes for the lines of one head; else a page.
std::string pageBytes(const MechanismPlotJob& job, const MechanismPlot& image,
                      const std::string& subject, const Image& view, const std::string& format) {
  const MechanismPlotStyle& style = job.style;
  const bool plot =
      job.info.kind == MechanismPlotKind::Curves && style.layer >= 0 && style.head >= 0;
  if (format == "png")
    return valueOrThrow(
        encodePng(plot ? renderPixels(curvesDrawing(image, style.layer, style.head), 2)
                       : valueOrThrow(plotPage(image, subject, style, view)),
                  {{"Software", "Headlight"}}));
  const Drawing drawing = plot ? curvesDrawing(image, style.layer, style.head)
                               : valueOrThrow(plotPageDrawing(image, subject, style, view));
  return format == "svg" ? renderSvg(drawing) : renderPdf(drawing);
}

}  // namespace

void requireOwnFormat(const std::string& format) {
  if (!format.empty() && format != "png" && format != "svg" && format != "pdf")
    refuseUsage("--format", format + tr(" is not a known format; give png, svg or pdf"));
}

const MechanismPlotInfo* mechanismPlotFromName(const std::string& name,
                                               const std::vector<MechanismPlotInfo>& all) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const MechanismPlotInfo& info) { return info.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string> mechanismPlotNames(const std::vector<MechanismPlotInfo>& all) {
  std::vector<std::string> names;
  for (const MechanismPlotInfo& info : all)
    names.push_back(info.name);
  return names;
}

MechanismPlotStyle makePlotStyle(const ImageStyle& style, int layer, int head) {
  MechanismPlotStyle own{.colorMap = style.colorMap,
                         .sharedScale = style.sharedScale,
                         .opacity = style.opacity,
                         .smooth = style.smooth,
                         .layer = layer,
                         .head = head};
  if (style.tile != ImageStyle().tile) own.tile = style.tile;  // else as fits
  return own;
}

int AttendMechanismPlots::run(const std::vector<fs::path>& images, const std::string& tensor) {
  if (m_job.info.ofImage && images.empty() && tensor.empty())
    refuseUsage("--show " + m_job.info.name, tr("depends on the image; give images"));
  const bool draws = !m_job.folder.empty() && tensor.empty();
  if (draws) {
    makeOutputFolder(m_job.folder);
    m_terminal.note(tr("images go to ") + wholePath(m_job.folder));
  }
  if (!m_job.info.ofImage) {
    if (!images.empty() || !tensor.empty())
      m_terminal.note(m_job.info.name +
                      tr(" depends only on the weights and is the same for every image"));
    add({modelName(m_job.session.info()), ""}, draws);
    return kExitOk;
  }
  if (!tensor.empty()) {
    const RawImages images = valueOrThrow(readRawImages(tensor));
    for (std::int64_t i = 0; i < images.count; ++i)
      addNumbers(tensor + "[" + std::to_string(i) + "]", rawImage(images, i));
    return kExitOk;
  }
  return forEachImage(images, m_job.keepArrays, m_terminal,
                      [&](const fs::path& path, const Image& image) { addImage(path, image); });
}

void AttendMechanismPlots::addImage(const fs::path& path, const Image& image) {
  MechanismPlotSubject subject{path.filename().string(), unusedStem(m_stems, path) + "-",
                               path.string()};
  subject.raw = rawImage(m_job.session.info(), image);
  subject.inference =
      valueOrThrow(m_job.session.infer(image, m_job.masks, {.maps = false}, m_stop));
  add(subject, !m_job.folder.empty());
}

void AttendMechanismPlots::addNumbers(const std::string& name, const RawImages& image) {
  MechanismPlotSubject subject{name, "", name, image};
  subject.inference.logits =
      valueOrThrow(inferRaw(m_job.session, image, m_job.masks, false, m_stop)).front().logits;
  add(subject, false);
}

void AttendMechanismPlots::add(const MechanismPlotSubject& subject, bool drawn) {
  if (m_stop.stop_requested())
    throw Failure({ErrorCode::Canceled, tr("stopped; images that were written stay"), ""});
  MechanismPlotRequest request{subject.raw, m_job.masks, m_job.token, m_job.style.layer};
  MechanismPlot image = valueOrThrow(mechanismPlot(
      m_job.session, m_job.info.name, request,
      [&](const Progress& progress) {
        m_terminal.setStatus(progress.stage + " " + std::to_string(progress.done) + "/" +
                             std::to_string(progress.total));
      },
      m_stop));
  m_terminal.setStatus("");
  if (m_job.style.head >= 0) {
    const auto other = [&](const auto& one) {
      return one.head >= 0 && one.head != m_job.style.head;
    };
    std::erase_if(image.panels, other);
    std::erase_if(image.curves, other);
  }
  Json files = Json::array();
  if (drawn) draw(image, subject, files);
  m_results.push_back(
      {{"image", subject.image}, {"files", files}, {"own", mechanismPlotJson(image)}});
  if (m_job.info.ofImage) m_results.back()["top"] = topJson(subject.inference.top);
  if (!m_job.keepArrays) return;
  keep(image);
  m_inferences.emplace_back().logits = subject.inference.logits;
}

void AttendMechanismPlots::draw(const MechanismPlot& image, const MechanismPlotSubject& subject,
                                Json& files) {
  const std::string stem = subject.stem + fileStem(m_job);
  const std::string format = m_job.format.empty() ? "png" : m_job.format;
  write(stem + "." + format, pageBytes(m_job, image, subject.name, subject.inference.view, format),
        files);
  if (m_job.info.kind == MechanismPlotKind::Curves) write(stem + ".csv", plotCsv(image), files);
}

void AttendMechanismPlots::write(const std::string& name, const std::string& bytes, Json& files) {
  const fs::path file = fs::path(m_job.folder) / name;
  valueOrThrow(writeFileAtomically(file, bytes));
  files.push_back(file.string());
  if (!m_terminal.json()) m_terminal.print(file.string());
}

/// For images [B, H, ..].
void AttendMechanismPlots::keep(const MechanismPlot& image) {
  for (RawArray& array : plotArrays(image)) {
    if (!m_job.info.ofImage) {
      m_arrays.push_back(std::move(array));
      continue;
    }
    auto found = std::find_if(m_arrays.begin(), m_arrays.end(),
                              [&](const RawArray& other) { return other.name == array.name; });
    if (found == m_arrays.end()) {
      array.shape.insert(array.shape.begin(), 1);
      m_arrays.push_back(std::move(array));
      continue;
    }
    ++found->shape.front();
    found->values.insert(found->values.end(), array.values.begin(), array.values.end());
  }
}

}  // namespace headlight::cli
