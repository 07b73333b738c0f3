// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/PageJob.h"

#include <QFile>

#include "core/workbench/loading/Input.h"

namespace headlight {
namespace {

Result<Image> readSample(const std::string& path) {
  QFile file(QString::fromStdString(path));
  if (!file.open(QIODevice::ReadOnly))
    return Error{ErrorCode::NotFound, QObject::tr("is not a built-in image").toStdString(), path};
  const QByteArray bytes = file.readAll();
  return decodeImage({bytes.constData(), static_cast<std::size_t>(bytes.size())}, path);
}

Result<Image> readJobImage(const PageJob& job, const std::string& path) {
  if (path == job.openPath && !job.openImage.empty()) return job.openImage;
  if (path.starts_with(":")) return readSample(path);
  if (path.starts_with("dataset:"))
    return Error{
        ErrorCode::InvalidArgument,
        QObject::tr("is a dataset sample without a file; open it or save it as an image first")
            .toStdString(),
        path};
  return readPageImage(path);
}

Result<PageContent> evaluateJob(const PageJob& job, const ProgressCallback& progress,
                                const std::stop_token& stop) {
  const auto open = job.session();
  if (!open) return Error{ErrorCode::Canceled, "no model is open", ""};
  PageEvaluationOptions options;
  options.read = [&job](const std::string& path) { return readJobImage(job, path); };
  options.truth = [&job](const std::string& path) {
    return path == job.openPath ? job.openTruth : nullptr;
  };
  options.before = job.before;
  options.progress = progress;
  options.stop = stop;
  return evaluatePage(*open, job.masks, job.page, options);
}

}  // namespace

ShownPage showPage(const PageJob& job, int dpi, const ProgressCallback& progress,
                   std::stop_token stop) {
  ShownPage shown;
  auto inference = evaluateJob(job, progress, stop);
  if (!inference) {
    shown.error = inference.error();
    return shown;
  }
  shown.inference = std::make_shared<const PageContent>(std::move(*inference));
  auto image = pageImage(job.page, *shown.inference, dpi);
  if (!image) {
    shown.error = image.error();
    return shown;
  }
  shown.image = std::move(*image);
  shown.caption = pageCaption(job.page, *shown.inference);
  return shown;
}

Result<void> exportPage(const PageJob& job, const QString& path, const QByteArray& session,
                        const ProgressCallback& progress, std::stop_token stop) {
  const auto inference = evaluateJob(job, progress, stop);
  if (!inference) return inference.error();
  std::vector<std::pair<std::string, std::string>> text{{"Software", "Headlight"}};
  if (!session.isEmpty()) text.emplace_back(kSessionKeyword, session.toStdString());
  return writePage(path.toStdString(), job.page, *inference, text);
}

}  // namespace headlight
