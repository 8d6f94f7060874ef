// receipt_role.cpp — what a line of a receipt is for, by the words it has.
#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "ingestion/ai/rules/receipt_text.hpp"

namespace belay::ai::rules {
namespace {

std::size_t mistakes_allowed(std::size_t length) { return length >= 9 ? 2 : length >= 5 ? 1 : 0; }

// The fewest letters to change, drop or add so that `word` stands somewhere in `said`.
std::size_t distance_within(std::string_view said, std::string_view word) {
    std::vector<std::size_t> row(word.size() + 1);
    for (std::size_t i = 0; i <= word.size(); ++i) row[i] = i;
    std::size_t best = row.back();
    for (const char c : said) {
        std::size_t diagonal = row[0];  // a match may begin anywhere: row[0] stays 0
        for (std::size_t i = 1; i <= word.size(); ++i) {
            const std::size_t change = diagonal + (word[i - 1] == c ? 0 : 1);
            diagonal = row[i];
            row[i] = std::min({change, row[i] + 1, row[i - 1] + 1});
        }
        best = std::min(best, row.back());
    }
    return best;
}

}  // namespace

bool says(std::string_view said, std::string_view word) {
    if (said.find(word) != std::string_view::npos) return true;
    const std::size_t allowed = mistakes_allowed(word.size());
    return allowed > 0 && said.size() + allowed >= word.size() &&
           distance_within(said, word) <= allowed;
}

bool says_any(std::string_view said, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return says(said, word); });
}

namespace {

bool has_any(std::string_view said, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
        return said.find(word) != std::string_view::npos;
    });
}

// "Total GST" and "Summa moms" are taxes; "Total sales … GST" is a total that speaks of tax.
bool only_tax_words(std::string_view said) {
    std::string rest{said};
    for (const std::string_view word :
         {"total", "summa", "summe", "gesamt", "amount", "payable", "betrag", "gst", "sst", "vat",
          "tax", "moms", "mwst", "steuer", "rm", "eur", "sek", "kr"}) {
        for (std::size_t at = rest.find(word); at != std::string::npos; at = rest.find(word))
            rest.erase(at, word.size());
    }
    return rest.size() <= 4;
}

}  // namespace

// The order of the questions matters: "total excluding tax" has to be asked for its "excluding" first.
// Words that others resemble ("change" and "charge") or that are short are asked for to the letter.
Role role_of(std::string_view said) {
    if (said.size() < 3) return Role::None;
    const auto any = [&](std::initializer_list<std::string_view> words) {
        return says_any(said, words);
    };
    const auto has = [&](std::initializer_list<std::string_view> words) {
        return has_any(said, words);
    };

    // French, Dutch, Danish and Norwegian, Spanish, Italian, Finnish: fewer words, to the letter.
    const bool to_pay_elsewhere =
        has({"netapayer", "totalapayer", "tebetalen", "atbetale", "totalabetale", "totalapagar",
             "totaledapagare", "maksettava", "importetotal", "importototale"});
    const bool total = any({"total", "summa", "summe", "gesamt", "amountdue", "attbetala",
                            "zuzahlen", "jumlah", "amountpayable", "balancedue"}) ||
                       has({"betrageur"}) || to_pay_elsewhere ||
                       has({"totaal", "yhteensa", "montantttc"});
    if (has({"nummer"}) && !has({"summe"}))
        return Role::None;  // "Belegnummer" is a letter from "summe"
    if (any({"gstsummary", "taxsummary", "gstanalysis", "vatsummary", "taxanalysis", "paymentmode",
             "paymentdetails", "paymenttype"}) ||
        (!total &&
         (any({"taxinvoice", "thankyou"}) || has({"gstreg", "gstno", "gstid", "momsreg", "steuernr",
                                                  "ustid", "ustnr", "taxcode", "gstnr"}))))
        return Role::Table;
    if (any({"totalsaving",  "yousaved",    "saving",        "totalqty",   "totalquantity",
             "itemcount",    "noofitem",    "numberofitem",  "totalitem",  "itemstotal",
             "totalpoints",  "bonuspunkte", "anzahlartikel", "antalvaror", "antalartiklar",
             "postenanzahl", "loyalty",     "preisvorteil",  "gespart",    "dusparade"}) ||
        has({"poang", "points", "punkte"}))
        return Role::Count;
    // "inclusive" and "exclusive" differ by two letters: to the letter first, and then what is nearer.
    bool with_tax = has({"incl", "inkl", "incgst"});
    bool without_tax = !with_tax && has({"excl", "exgst", "exkl", "ohne"});
    if (!with_tax && !without_tax) {
        with_tax =
            any({"inclusive", "includinggst", "inklmoms", "inklmwst", "aftertax", "withgst"});
        without_tax = any({"excluding", "exclusive", "beforegst", "beforetax", "taxable"});
        if (with_tax && without_tax) {
            with_tax = distance_within(said, "inclusive") <= distance_within(said, "exclusive");
            without_tax = !with_tax;
        }
    }
    if (any({"discount", "rabatt", "diskaun", "nachlass"})) return Role::Discount;
    const bool rounds = any({"rounding", "avrundning", "rundung", "bundaran", "rounded"});
    if (total && any({"rounded", "afterrounding", "afterround", "afteradj", "totalrounding"}) &&
        !has({"adj"}))
        return Role::GrandTotal;
    if (rounds || (has({"round"}) && has({"adj"}))) return Role::Rounding;
    if (any({"servicecharge", "servcharge", "servchg", "servicechg", "servicechrg"}) ||
        has({"svc", "dricks", "trinkgeld"}))
        return Role::Service;
    if (has({"change", "vaxel", "ruckgeld", "zuruck", "tillbaka", "wechselgeld", "ruckgabe",
             "chang", "baki", "wisselgeld", "byttepenge", "monnaierendue", "cambio",
             "vekslepenger"}) &&
        !has({"exchange"}))
        return Role::Change;
    if (any({"subtotal", "delsumma", "zwischensumme", "soustotal", "subtotaal"}) ||
        (total && without_tax) || (total && has({"supplies"})))  // of what is taxed at one rate
        return Role::SubTotal;
    if (any({"grandtotal", "nettotal", "netttotal", "totaldue", "amountdue", "attbetala",
             "zuzahlen", "totalpayable", "amountpayable", "totaltopay", "balancedue",
             "nettamount"}) ||
        to_pay_elsewhere)
        return Role::GrandTotal;
    if (total && with_tax) return Role::Total;
    const bool tax =
        has({"gst", "sst", "vat", "tax", "moms", "mwst", "mehrwertst", "steuer", "tva", "btw"});
    if (tax && (!total || (!with_tax && only_tax_words(said)))) return Role::Tax;
    if (total) return Role::Total;
    if (any({"mastercard", "debitcard", "creditcard", "bankcard", "kortkop", "kartenzahlung",
             "girocard", "maestro", "bankkort", "kontokort", "americanexpress"}) ||
        has({"visa", "amex", "swish", "mydebit", "kartezahl", "eleccash", "eccash"}) ||
        said == "kort" || said == "karte")
        return Role::Card;
    if (any({"tendered", "kontant", "gegeben", "bargeld", "cashreceived", "amountpaid",
             "amountreceived"}) ||
        has({"cash", "betalt", "tunai", "tender", "especes", "efectivo", "contanti", "kateinen"}) ||
        said == "bar" || said == "eurbar" || said == "bareur" || said == "payment" ||
        said == "paid")
        return has({"cashier", "cashbill", "cashsale", "cashinv"}) ? Role::None : Role::Cash;
    return Role::None;
}

}  // namespace belay::ai::rules
