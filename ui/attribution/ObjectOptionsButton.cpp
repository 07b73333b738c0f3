// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/attribution/ObjectOptionsButton.h"

#include <QMenu>
#include <QWidgetAction>

#include "core/workbench/attribution/Explanations.h"
#include "ui/base/SanitizedText.h"
#include "ui/document/Document.h"
#include "ui/forms/ParameterForm.h"

namespace headlight {
namespace {

/// Options that a method does not have; the page has a field for the layer.
std::vector<std::string> fieldsToHide(const std::string& method) {
  if (method == "dino-mask") return {"method", "layer", "feature", "seeds", "threshold", "epsilon"};
  if (method == "lost") return {"method", "layer", "head", "mass", "threshold", "epsilon"};
  return {"method", "layer", "head", "mass", "seeds"};
}

}  // namespace

ObjectOptionsButton::ObjectOptionsButton(Document* document, QWidget* parent)
    : QToolButton(parent),
      m_document(document),
      m_form(new ParameterForm(objectParameters(), QStringLiteral("objects"), this)) {
  setObjectName(QStringLiteral("wayObjectOptions"));
  setText(tr("Options"));
  setToolTip(
      plainToolTip(tr("Which features are compared, how much attention is kept, and the "
                      "other numbers of this method")));
  setPopupMode(QToolButton::InstantPopup);
  m_form->setFilterVisible(false);
  m_form->setValues(Json::object());
  auto* menu = new QMenu(this);
  auto* fields = new QWidgetAction(menu);
  fields->setDefaultWidget(m_form);
  menu->addAction(fields);
  setMenu(menu);
  connect(m_form, &ParameterForm::changed, this, &ObjectOptionsButton::apply);
}

void ObjectOptionsButton::readView() {
  const ExplanationChoice& choice = m_document->view().options().method;
  const ExplanationInfo* method = explanationFromName(choice.name);
  if (!method || !method->marksObject) return;
  if (m_shown != choice.name) m_form->hideFields(fieldsToHide(choice.name));
  m_shown = choice.name;
  const Json values = writeParameters(objectParameters(), &choice.objects);
  if (m_form->values() != values && m_form->isValid()) m_form->setValues(values);
}

/// What is being typed and no value yet changes nothing.
void ObjectOptionsButton::apply() {
  ObjectOptions options;
  if (!m_form->isValid() ||
      !readParameters(objectParameters(), m_form->values(), &options, "objects"))
    return;
  m_document->view().change([&](ViewOptions& view) { view.method.objects = options; });
}

}  // namespace headlight
