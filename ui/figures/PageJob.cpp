// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/PageJob.h"

#include <QFile>

#include "ui/bridge/ImageBridge.h"

namespace headlight {
namespace {

Result<Image> readSample(const std::string& path) {
  QFile file(QString::fromStdString(path));
  if (!file.open(QIODevice::ReadOnly))
    return Error{ErrorCode::NotFound, "is not among the built-in pictures", path};
  const QByteArray bytes = file.readAll();
  return decodeImage({bytes.constData(), static_cast<std::size_t>(bytes.size())}, path);
}

Result<Image> pictureOf(const PageJob& job, const std::string& path) {
  if (path == job.openPath && !job.openImage.empty()) return job.openImage;
  if (path.starts_with(":")) return readSample(path);
  if (path.starts_with("dataset:"))
    return Error{ErrorCode::InvalidArgument,
                 "is a sample of a data set without files of its own; open it, or save it as a "
                 "picture first",
                 path};
  return readPagePicture(path);
}

Result<PageContent> lookFor(const PageJob& job, const ProgressCallback& progress,
                            const std::stop_token& stop) {
  const auto open = job.session();
  if (!open) return Error{ErrorCode::Canceled, "no model is open", ""};
  PageEvaluationOptions looking;
  looking.read = [&job](const std::string& path) { return pictureOf(job, path); };
  looking.before = job.before;
  looking.progress = progress;
  looking.stop = stop;
  return lookAtPage(*open, job.masks, job.page, looking);
}

}  // namespace

ShownPage showPage(const PageJob& job, int dpi, const ProgressCallback& progress,
                   std::stop_token stop) {
  ShownPage shown;
  auto look = lookFor(job, progress, stop);
  if (!look) {
    shown.error = look.error();
    return shown;
  }
  shown.look = std::make_shared<const PageContent>(std::move(*look));
  auto image = pageImage(job.page, *shown.look, dpi);
  if (image)
    shown.image = std::move(*image);
  else
    shown.error = image.error();
  return shown;
}

Result<void> exportPage(const PageJob& job, const QString& path, const QByteArray& session,
                        const ProgressCallback& progress, std::stop_token stop) {
  const auto look = lookFor(job, progress, stop);
  if (!look) return look.error();
  std::vector<std::pair<std::string, std::string>> text{{"Software", "Headlight"}};
  if (!session.isEmpty()) text.emplace_back(ImageBridge::kSessionKeyword, session.toStdString());
  return writePage(path.toStdString(), job.page, *look, text);
}

}  // namespace headlight
