// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figures/AttendMechanismPlots.h"

#include <algorithm>

#include "app/cli/options/Inputs.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/files/Files.h"
#include "core/workbench/attribution/Explanations.h"

namespace headlight::cli {
namespace {

namespace fs = std::filesystem;

std::string modelName(const ModelInfo& info) {
  return info.weights.empty() ? info.experiment.model.name : info.weights.filename().string();
}

/// "kernel", "kernel-layer2-head1".
std::string fileStem(const MechanismPlotJob& job) {
  std::string stem = job.info.name;
  if (job.style.layer >= 0) stem += "-layer" + std::to_string(job.style.layer);
  if (job.style.head >= 0) stem += "-head" + std::to_string(job.style.head);
  return stem;
}

/// Of one head's lines a plot with axes; else a page.
std::string pageBytes(const MechanismPlotJob& job, const MechanismPlot& picture,
                      const std::string& subject, const Image& view, const std::string& format) {
  const MechanismPlotStyle& style = job.style;
  const bool plot =
      job.info.kind == MechanismPlotKind::Curves && style.layer >= 0 && style.head >= 0;
  if (format == "png")
    return valueOrThrow(encodePng(plot ? pixelsOf(ownPlot(picture, style.layer, style.head), 2)
                                       : valueOrThrow(ownPage(picture, subject, style, view)),
                                  {{"Software", "Headlight"}}));
  const Drawing drawing = plot ? ownPlot(picture, style.layer, style.head)
                               : valueOrThrow(ownPageDrawing(picture, subject, style, view));
  return format == "svg" ? svgOf(drawing) : pdfOf(drawing);
}

}  // namespace

void requireOwnFormat(const std::string& format) {
  if (!format.empty() && format != "png" && format != "svg" && format != "pdf")
    refuseUsage("--format", format + " is not known; give png, svg or pdf");
}

const MechanismPlotInfo* ownFromName(const std::string& name,
                                     const std::vector<MechanismPlotInfo>& all) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const MechanismPlotInfo& info) { return info.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string> ownNames(const std::vector<MechanismPlotInfo>& all) {
  std::vector<std::string> names;
  for (const MechanismPlotInfo& info : all)
    names.push_back(info.name);
  return names;
}

MechanismPlotStyle ownStyleOf(const PictureStyle& style, int layer, int head) {
  MechanismPlotStyle own{.colorMap = style.colorMap,
                         .sharedScale = style.sharedScale,
                         .opacity = style.opacity,
                         .smooth = style.smooth,
                         .layer = layer,
                         .head = head};
  if (style.tile != PictureStyle().tile) own.tile = style.tile;  // else as fits
  return own;
}

int AttendMechanismPlots::run(const std::vector<fs::path>& pictures, const std::string& tensor) {
  if (m_job.info.ofPicture && pictures.empty() && tensor.empty())
    refuseUsage("--show " + m_job.info.name, "differs from picture to picture; give pictures");
  const bool draws = !m_job.folder.empty() && tensor.empty();
  if (draws) {
    makeOutputFolder(m_job.folder);
    m_terminal.note("pictures go to " + wholePath(m_job.folder));
  }
  if (!m_job.info.ofPicture) {
    if (!pictures.empty() || !tensor.empty())
      m_terminal.note(m_job.info.name + " is of the weights alone, the same for every picture");
    add({modelName(m_job.session.info()), ""}, draws);
    return kExitOk;
  }
  if (!tensor.empty()) {
    const RawImages images = valueOrThrow(readRawImages(tensor));
    for (std::int64_t i = 0; i < images.count; ++i)
      addNumbers(tensor + "[" + std::to_string(i) + "]", rawPicture(images, i));
    return kExitOk;
  }
  return forEachPicture(pictures, m_job.keepArrays, m_terminal,
                        [&](const fs::path& path, const Image& image) { addPicture(path, image); });
}

void AttendMechanismPlots::addPicture(const fs::path& path, const Image& image) {
  MechanismPlotSubject subject{path.filename().string(), unusedStem(m_stems, path) + "-",
                               path.string()};
  subject.picture = rawPicture(m_job.session.info(), image);
  subject.look = valueOrThrow(m_job.session.look(image, m_job.masks, {.maps = false}, m_stop));
  add(subject, !m_job.folder.empty());
}

void AttendMechanismPlots::addNumbers(const std::string& name, const RawImages& picture) {
  MechanismPlotSubject subject{name, "", name, picture};
  subject.look.logits =
      valueOrThrow(lookAtRaw(m_job.session, picture, m_job.masks, false, m_stop)).front().logits;
  add(subject, false);
}

void AttendMechanismPlots::add(const MechanismPlotSubject& subject, bool drawn) {
  if (m_stop.stop_requested())
    throw Failure({ErrorCode::Canceled, "stopped; pictures that were written stay", ""});
  MechanismPlotRequest request{subject.picture, m_job.masks, m_job.token, m_job.style.layer};
  MechanismPlot picture = valueOrThrow(ownPicture(
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
    std::erase_if(picture.panels, other);
    std::erase_if(picture.curves, other);
  }
  Json files = Json::array();
  if (drawn) draw(picture, subject, files);
  m_results.push_back({{"image", subject.image}, {"files", files}, {"own", ownJson(picture)}});
  if (m_job.info.ofPicture) m_results.back()["top"] = topJson(subject.look.top);
  if (!m_job.keepArrays) return;
  keep(picture);
  m_looks.emplace_back().logits = subject.look.logits;
}

void AttendMechanismPlots::draw(const MechanismPlot& picture, const MechanismPlotSubject& subject,
                                Json& files) {
  const std::string stem = subject.stem + fileStem(m_job);
  const std::string format = m_job.format.empty() ? "png" : m_job.format;
  write(stem + "." + format, pageBytes(m_job, picture, subject.name, subject.look.view, format),
        files);
  if (m_job.info.kind == MechanismPlotKind::Curves) write(stem + ".csv", ownCsv(picture), files);
}

void AttendMechanismPlots::write(const std::string& name, const std::string& bytes, Json& files) {
  const fs::path file = fs::path(m_job.folder) / name;
  valueOrThrow(writeFileAtomically(file, bytes));
  files.push_back(file.string());
  if (!m_terminal.json()) m_terminal.print(file.string());
}

/// Of pictures [B, H, ..].
void AttendMechanismPlots::keep(const MechanismPlot& picture) {
  for (RawArray& array : ownArrays(picture)) {
    if (!m_job.info.ofPicture) {
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
