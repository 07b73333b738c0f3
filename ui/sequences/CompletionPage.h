// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Completes the lower part of an image with a sequence model: shows the model's view of the image,
// the rows kept, and the completions.

#include <QWidget>

#include <memory>
#include <optional>

#include "ui/bridge/SequenceBridge.h"
#include "ui/sequences/CompletionParts.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {

class BackgroundTask;
class Document;
class ImageTiles;

class CompletionPage : public QWidget {
  Q_OBJECT
 public:
  /// `document`: its image is offered; both must outlive the page.
  CompletionPage(SequenceBridge* bridge, Document* document, QWidget* parent = nullptr);

  /// Refused with a message while the bridge is busy.
  void setImage(const Image& image, const QString& name);
  void openImage(const QString& path);
  void complete();
  /// The settings, if valid.
  std::optional<CompletionSettings> settings() const;
  const std::shared_ptr<const CompletedImage>& completed() const { return m_completed; }
  const Image& image() const { return m_image; }  ///< the chosen one; empty: none
  const QString& imageName() const { return m_imageName; }

 Q_SIGNALS:
  void imageChanged();
  /// A message about an image, while no image model is open and this page is hidden.
  void saidUnseen(const QString& text, headlight::MessageLabel::Tone tone);

 private:
  void connectParts();
  void connectBridge();
  void chooseImage();
  void choosePng();
  void savePng(const QString& path, const std::shared_ptr<const CompletedImage>& image);
  bool hasModel() const;  ///< an image model
  void onModelChanged();
  void onJobChanged();
  void onCompleted(const std::shared_ptr<const CompletedImage>& image);
  void takeImageOfWindow();
  void say(const QString& text, MessageLabel::Tone tone);
  void showTiles();
  void refreshControls();

  SequenceBridge* m_bridge;
  Document* m_document;
  BackgroundTask* m_reader;
  BackgroundTask* m_writer;
  CompletionParts m_parts;
  ImageTiles* m_tiles;

  Image m_image;
  QString m_imageName;
  Image m_view;  ///< the model's view of m_image; empty until computed
  std::shared_ptr<const CompletedImage> m_completed;  ///< completion of m_view; null: none yet
  double m_keptFraction = CompletionSettings().keptFraction;  ///< last valid value
  bool m_refused = false;                                     ///< an image was refused while busy
};

}  // namespace headlight
