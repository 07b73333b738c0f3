// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/ImageFeeds.h"

#include <QFile>
#include <QFileInfo>

#include "core/workbench/loading/Input.h"

namespace headlight {
namespace {

/// Reads a file, a video's frame, an image of a file of maps, or one of the built-in samples.
Result<Image> listedImage(InferenceSession& session, const QString& path) {
  const std::string name = path.toStdString();
  if (session.info().isPrecomputed) {
    const Image image = session.imageAt(name);
    if (image.empty()) return Error{ErrorCode::NotFound, "is not one of the open maps", name};
    return image;
  }
  if (!path.startsWith(QLatin1Char(':'))) return readImageAt(name);
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return Error{ErrorCode::NotFound, "cannot be read", name};
  const QByteArray bytes = file.readAll();
  return decodeImage({bytes.constData(), static_cast<std::size_t>(bytes.size())}, name);
}

}  // namespace

Result<ImageSource> makeImageSource(const std::shared_ptr<InferenceSession>& session,
                                    const ImageSelection& chosen) {
  if (chosen.sample) return makeImageSource(session->info(), *chosen.sample);
  if (chosen.wholeFile) return feedOfMaps(*session);
  if (chosen.paths.isEmpty())
    return makeImageSource(session->imageAt(chosen.path.toStdString(), chosen.image),
                           QFileInfo(chosen.path).fileName().toStdString());
  return ImageSource{chosen.paths.size(),
                     [session, paths = chosen.paths](std::int64_t index) -> Result<SourceImage> {
                       auto image = listedImage(*session, paths[index]);
                       if (!image) return image.error();
                       return SourceImage{*image};
                     }};
}

}  // namespace headlight
