// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/PictureFeeds.h"

#include <QFile>
#include <QFileInfo>

#include "core/workbench/loading/MapFile.h"
#include "core/workbench/session/Video.h"

namespace headlight {
namespace {

/// Of a file, a video's frame, a picture of a file of maps, or one of the built-in samples.
Result<Image> listedPicture(InferenceSession& session, const QString& path) {
  const std::string name = path.toStdString();
  if (session.info().isPrecomputed) {
    const Image image = session.pictureAt(name);
    if (image.empty()) return Error{ErrorCode::NotFound, "is none of the maps that are open", name};
    return image;
  }
  if (const auto place = mapPlaceOf(name); place && !QFile::exists(path) && !videoPlaceOf(name))
    return readMapPicture(*place);
  if (!path.startsWith(QLatin1Char(':'))) return readPictureOrFrame(name);
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return Error{ErrorCode::NotFound, "cannot be read", name};
  const QByteArray bytes = file.readAll();
  return decodeImage({bytes.constData(), static_cast<std::size_t>(bytes.size())}, name);
}

}  // namespace

Result<ImageSource> feedOf(const std::shared_ptr<InferenceSession>& session,
                           const ChosenPictures& chosen) {
  if (chosen.sample) return feedOf(session->info(), *chosen.sample);
  if (chosen.wholeFile) return feedOfMaps(*session);
  if (chosen.paths.isEmpty())
    return feedOf(session->pictureAt(chosen.path.toStdString(), chosen.image),
                  QFileInfo(chosen.path).fileName().toStdString());
  return ImageSource{chosen.paths.size(),
                     [session, paths = chosen.paths](std::int64_t index) -> Result<FedPicture> {
                       auto image = listedPicture(*session, paths[index]);
                       if (!image) return image.error();
                       return FedPicture{*image};
                     }};
}

}  // namespace headlight
