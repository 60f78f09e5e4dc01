/** The theme's foot of a page, with the way to say what is wrong on it. */
import Link from "@docusaurus/Link";
import Footer from "@theme-original/DocItem/Footer";

export default function FooterWithFeedback() {
  return (
    <>
      <p className="page-feedback" data-search-exclude="">
        Wrong or missing?{" "}
        <Link className="text-link" to="/toolhive/faq#where-do-i-report-a-bug">
          Say so
        </Link>
        .
      </p>
      <Footer />
    </>
  );
}
