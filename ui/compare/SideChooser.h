// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Chooses the model, masks and image of one side of a comparison.

#include <QToolButton>
#include <QWidget>

#include <functional>

#include "ui/document/DocumentReference.h"

namespace headlight {

class BackgroundTask;
class Document;
class GalleryModel;
class RecentPaths;
class CompareLoader;

/// Sources of the offered models and images; each may be null.
struct CompareSideOffers {
  RecentPaths* recent = nullptr;
  GalleryModel* gallery = nullptr;
};

/// A button with a menu that shortens its text to the available width.
class ChoiceButton : public QToolButton {
  Q_OBJECT
 public:
  ChoiceButton(const QString& name, const QString& title, QWidget* parent);
  /// `brief` replaces `text` if it does not fit; empty: `text` is elided.
  void setChoice(const QString& text, const QString& brief = {});
  QSize minimumSizeHint() const override { return {48, QToolButton::minimumSizeHint().height()}; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void shorten();
  QString m_title, m_choice, m_brief;
};

class SideChooser : public QWidget {
  Q_OBJECT
 public:
  /// `title`: "left". All outlive it.
  SideChooser(const QString& title, Document* window, CompareLoader* bridge,
              const CompareSideOffers& offers, QWidget* parent);

  /// Shows the bridge's side.
  void readSide();

 Q_SIGNALS:
  void chosen(const headlight::CompareSide& side);

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void fillMasks();
  void fillImages();
  void addMasks(const QString& text, SideMasks masks, const QString& scheme = {});
  void addImage(const QString& text, const QString& image);
  void chooseModel(const QString& model);
  void askForModel();
  void askForFile(const QString& title, const QString& filter,
                  const std::function<void(CompareSide&, const QString&)>& take);

  Document* m_window;
  CompareLoader* m_bridge;
  BackgroundTask* m_reader;  ///< reads dropped files
  CompareSideOffers m_offers;
  ChoiceButton *m_model, *m_masks, *m_image;
};

}  // namespace headlight
